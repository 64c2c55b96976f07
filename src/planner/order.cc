#include "planner/order.h"
