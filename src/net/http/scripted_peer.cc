#include "net/http/scripted_peer.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"

namespace rescheduler::net {

namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

int listen_on_loopback(int backlog, std::uint16_t& port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  const bool bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 && ::listen(fd, backlog) == 0
                     && ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  RESCHEDULER_CHECK(bound, "a test cannot listen on loopback");
  port = ntohs(address.sin_port);
  return fd;
}

std::size_t announced_length(std::string_view head) {
  const auto at = head.find("Content-Length: ");
  return at == std::string_view::npos ? 0 : std::stoul(std::string(head.substr(at + 16, 20)));
}

}  // namespace

std::string PeerSocket::read_some() {
  std::array<char, 16384> buffer{};
  const auto count = ::recv(fd_, buffer.data(), buffer.size(), 0);
  return count <= 0 ? std::string() : std::string(buffer.data(), static_cast<std::size_t>(count));
}

std::string PeerSocket::read_request() {
  std::string got;
  for (;;) {
    if (const auto end = got.find("\r\n\r\n"); end != std::string::npos) {
      if (got.size() >= end + 4 + announced_length(std::string_view(got).substr(0, end + 2))) return got;
    }
    const std::string more = read_some();
    if (more.empty()) return {};
    got += more;
  }
}

void PeerSocket::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void PeerSocket::end_writing() { ::shutdown(fd_, SHUT_WR); }

void PeerSocket::wait_for_hang_up() {
  while (!read_some().empty()) {
  }
}

void PeerSocket::reset() {
  const linger at_once{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

ScriptedPeer::ScriptedPeer(std::vector<Script> scripts)
    : scripts_(std::move(scripts)), listener_(listen_on_loopback(128, port_)) {
  acceptor_ = std::thread([this] { accept_all(); });
}

void ScriptedPeer::accept_all() {
  for (;;) {
    const int fd = ::accept(listener_, nullptr, nullptr);
    if (fd < 0) return;
    const auto number = static_cast<std::size_t>(accepted_++);
    const Script& script = scripts_[std::min(number, scripts_.size() - 1)];
    const std::lock_guard lock(mutex_);
    sockets_.push_back(fd);
    threads_.emplace_back([this, fd, &script] {
      PeerSocket socket(fd);
      script(socket);
      const std::lock_guard closing(mutex_);
      std::erase(sockets_, fd);
      ::close(fd);
    });
  }
}

ScriptedPeer::~ScriptedPeer() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  {
    const std::lock_guard lock(mutex_);
    for (const int fd : sockets_) ::shutdown(fd, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
}

SilentPort::SilentPort() : listener_(listen_on_loopback(0, port_)) {
  // Linux accepts one connection more than the backlog. It leaves further attempts unanswered.
  for (int i = 0; i < 4; ++i) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const sockaddr_in address = loopback(port_);
    (void)::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    fillers_.push_back(fd);
  }
}

SilentPort::~SilentPort() {
  for (const int fd : fillers_) ::close(fd);
  ::close(listener_);
}

std::uint16_t closed_port() {
  std::uint16_t port = 0;
  ::close(listen_on_loopback(1, port));
  return port;
}

}  // namespace rescheduler::net
