#include "planner/improve.h"
