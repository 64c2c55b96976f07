#include "support/tcp_proxy.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"

namespace rescheduler::test {
namespace {

// The interval at which the threads below check what the test has set.
constexpr int kLookMillis = 10;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int listen_on_any_port(std::uint16_t& port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  RESCHEDULER_CHECK(bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0 && listen(listener, 64) == 0
                        && getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0,
                    "no loopback listener: errno {}", errno);
  port = ntohs(address.sin_port);
  return listener;
}

bool readable(int fd) {
  pollfd wait{fd, POLLIN, 0};
  return poll(&wait, 1, kLookMillis) > 0;
}

bool send_all(int to, const char* bytes, std::size_t size) {
  for (std::size_t sent = 0; sent < size;) {
    const ssize_t wrote = send(to, bytes + sent, size - sent, MSG_NOSIGNAL);
    if (wrote <= 0) return false;
    sent += static_cast<std::size_t>(wrote);
  }
  return true;
}

}  // namespace

TcpProxy::TcpProxy(std::uint16_t target_port)
    : target_port_(target_port), listener_(listen_on_any_port(port_)), thread_([this] { run(); }) {}

TcpProxy::~TcpProxy() {
  stopping_ = true;
  thread_.join();
  for (const Pair& pair : pairs_) close_pair(pair);
  close(listener_);
}

void TcpProxy::close_pair(const Pair& pair) {
  close(pair.client);
  close(pair.server);
}

bool TcpProxy::pass(int from, int to) {
  std::array<char, 65536> buffer{};
  const ssize_t got = read(from, buffer.data(), buffer.size());
  return got > 0 && send_all(to, buffer.data(), static_cast<std::size_t>(got));
}

void TcpProxy::accept_one() {
  const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  ++accepted_;
  if (wire_ == Wire::Cut) {
    close(client);
    return;
  }
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(target_port_);
  if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close_pair({client, server});
    return;
  }
  pairs_.push_back({client, server});
}

void TcpProxy::run() {
  while (!stopping_) {
    const Wire wire = wire_;
    if (wire == Wire::Cut) {
      for (const Pair& pair : pairs_) close_pair(pair);
      pairs_.clear();
    }
    std::vector<pollfd> waits{{listener_, POLLIN, 0}};
    if (wire == Wire::Whole) {
      for (const Pair& pair : pairs_) {
        waits.push_back({pair.client, POLLIN, 0});
        waits.push_back({pair.server, POLLIN, 0});
      }
    }
    if (poll(waits.data(), waits.size(), kLookMillis) <= 0) continue;
    std::vector<Pair> open;
    for (std::size_t index = 0; index < pairs_.size(); ++index) {
      const Pair& pair = pairs_[index];
      bool whole = true;
      if (wire == Wire::Whole && wire_ == Wire::Whole) {
        if (waits[1 + 2 * index].revents != 0) whole = pass(pair.client, pair.server);
        if (whole && waits[2 + 2 * index].revents != 0) whole = pass(pair.server, pair.client);
      }
      if (whole) {
        open.push_back(pair);
      } else {
        close_pair(pair);
      }
    }
    pairs_ = std::move(open);
    if (waits[0].revents != 0) accept_one();
  }
}

ByteServer::ByteServer(std::string answer) : answer_(std::move(answer)), listener_(listen_on_any_port(port_)) {
  thread_ = std::thread([this] {
    while (!stopping_) {
      if (!readable(listener_)) continue;
      const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      // Wait for the first bytes, so that the client gets a response and not unsolicited bytes.
      while (!stopping_ && !readable(client)) {
      }
      std::array<char, 4096> request{};
      (void)read(client, request.data(), request.size());
      (void)send_all(client, answer_.data(), answer_.size());
      close(client);
    }
  });
}

ByteServer::~ByteServer() {
  stopping_ = true;
  thread_.join();
  close(listener_);
}

}  // namespace rescheduler::test
