// For tests: a TCP server that does exactly what the test wrote down, with blocking sockets on threads of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace rescheduler::net {

// One accepted connection. Nothing here fails the test: a peer that is hung up on just stops.
class PeerSocket {
 public:
  explicit PeerSocket(int fd) : fd_(fd) {}

  std::string read_request();  // head, and the body its Content-Length announces; empty: the client hung up
  std::string read_some();
  void write(std::string_view bytes);
  void end_writing();
  void wait_for_hang_up();
  void reset();  // hangs up rudely

 private:
  int fd_;
};

class ScriptedPeer {
 public:
  using Script = std::function<void(PeerSocket&)>;

  // The n-th connection follows the n-th script; the last one serves all further ones.
  explicit ScriptedPeer(std::vector<Script> scripts);
  explicit ScriptedPeer(const Script& script) : ScriptedPeer(std::vector<Script>(1, script)) {}
  ~ScriptedPeer();
  ScriptedPeer(const ScriptedPeer&) = delete;
  ScriptedPeer& operator=(const ScriptedPeer&) = delete;

  std::uint16_t port() const { return port_; }
  int accepted() const { return accepted_; }

 private:
  void accept_all();

  std::vector<Script> scripts_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  std::atomic<int> accepted_ = 0;
  std::mutex mutex_;
  std::vector<int> sockets_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

// A port where connection attempts get no answer at all: the queue of its listener is full.
class SilentPort {
 public:
  SilentPort();
  ~SilentPort();
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;
  std::uint16_t port() const { return port_; }

 private:
  std::uint16_t port_ = 0;
  int listener_ = -1;
  std::vector<int> fillers_;
};

// A port where nobody listens.
std::uint16_t closed_port();

}  // namespace rescheduler::net
