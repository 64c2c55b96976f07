// A TCP forwarder on loopback whose connections a test can cut or freeze.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace rescheduler::test {

class TcpProxy {
 public:
  enum class Wire {
    Whole,   // bytes pass
    Frozen,  // connections stay open and new ones are accepted, but no bytes pass: half-open, as after a pulled cable
    Cut,     // closes open connections, and new ones at once
  };

  explicit TcpProxy(std::uint16_t target_port);  // on 127.0.0.1
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  std::uint16_t port() const { return port_; }
  void set(Wire wire) { wire_ = wire; }
  int connections() const { return accepted_; }  // accepted so far

 private:
  struct Pair {
    int client;
    int server;
  };
  void run();
  void accept_one();
  static bool pass(int from, int to);
  static void close_pair(const Pair& pair);

  std::uint16_t target_port_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  std::atomic<Wire> wire_{Wire::Whole};
  std::atomic<bool> stopping_{false};
  std::atomic<int> accepted_{0};
  std::vector<Pair> pairs_;  // used by the thread only
  std::thread thread_;
};

// A listener that answers every connection with these bytes and closes it.
class ByteServer {
 public:
  explicit ByteServer(std::string answer);
  ~ByteServer();
  ByteServer(const ByteServer&) = delete;
  ByteServer& operator=(const ByteServer&) = delete;
  std::uint16_t port() const { return port_; }

 private:
  std::string answer_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace rescheduler::test
