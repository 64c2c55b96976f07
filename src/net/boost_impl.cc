// Compiles the implementations of Asio and Beast once, instead of in every translation unit that includes them.
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
