#include "net/resolve.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/this_coro.hpp>

#include "net/waiter.h"

namespace rescheduler::net {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

struct Lookup {
  explicit Lookup(const Executor& executor) : resolver(executor), answered(executor) {}

  tcp::resolver resolver;
  Waiter answered;
  boost::system::error_code error;
  std::vector<Endpoint> found;
};

std::shared_ptr<Lookup> start_lookup(const Executor& executor, const std::string& host, std::uint16_t port) {
  auto lookup = std::make_shared<Lookup>(executor);
  lookup->resolver.async_resolve(
      host, std::to_string(port), tcp::resolver::numeric_service,
      [lookup](boost::system::error_code error, const tcp::resolver::results_type& results) {
        lookup->error = error;
        for (const auto& entry : results) {
          lookup->found.push_back(Endpoint{entry.endpoint().address().to_string(), entry.endpoint().port()});
        }
        lookup->answered.wake();
      });
  return lookup;
}

}  // namespace

Task<Result<std::vector<Endpoint>>> resolve(std::string host, std::uint16_t port, SteadyTime deadline) {
  boost::system::error_code not_numeric;
  asio::ip::make_address(host, not_numeric);
  if (!not_numeric) {
    std::vector<Endpoint> itself;
    itself.push_back(Endpoint{host, port});
    co_return itself;
  }
  auto executor = co_await asio::this_coro::executor;
  const std::shared_ptr<Lookup> lookup = start_lookup(executor, host, port);
  auto answered = co_await lookup->answered.wait(deadline);
  if (!answered) co_return fail(std::move(answered.error()));
  if (lookup->error || lookup->found.empty()) {
    co_return fail(Errc::Unavailable, "the name '{}' cannot be resolved ({})", host,
                   lookup->error ? lookup->error.message() : "it has no address");
  }
  co_return std::move(lookup->found);
}

}  // namespace rescheduler::net
