// For tests: a TCP server that follows a script of the test, with blocking sockets on its own threads.
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

// One accepted connection. No function fails the test: after the client disconnects, the peer just stops.
class PeerSocket {
 public:
  explicit PeerSocket(int fd) : fd_(fd) {}

  std::string read_request();  // head, and body by Content-Length; empty: the client disconnected
  std::string read_some();
  void write(std::string_view bytes);
  void end_writing();
  void wait_for_hang_up();
  void reset();  // closes with a TCP reset

 private:
  int fd_;
};

class ScriptedPeer {
 public:
  using Script = std::function<void(PeerSocket&)>;

  // The n-th connection follows the n-th script; the last script serves all further connections.
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

// A port that does not answer connection attempts: the accept queue of its listener is full.
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

// A port without a listener.
std::uint16_t closed_port();

}  // namespace rescheduler::net
