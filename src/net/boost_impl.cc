// The one translation unit that compiles what Asio and Beast would otherwise compile everywhere.
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
