// For tests: a client that writes and reads bytes without any HTTP.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "net/http/scripted_peer.h"

namespace rescheduler::net {

class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    EXPECT_EQ(::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~RawClient() { hang_up(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void write(std::string_view bytes) { PeerSocket(fd_).write(bytes); }
  void end_writing() { ::shutdown(fd_, SHUT_WR); }
  std::string read_to_end() {
    std::string all;
    for (;;) {
      const std::string piece = PeerSocket(fd_).read_some();
      if (piece.empty()) return all;
      all += piece;
    }
  }
  std::string read_until(std::string_view ending) {
    std::string all;
    while (!all.ends_with(ending)) {
      const std::string piece = PeerSocket(fd_).read_some();
      if (piece.empty()) break;
      all += piece;
    }
    return all;
  }
  void hang_up() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

}  // namespace rescheduler::net
