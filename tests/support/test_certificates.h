// Certificates for tests, made in memory: an authority, and certificates that it signs. Nothing is written to disk.
//
//   const TestAuthority ca("test ca");
//   const TestIdentity server = ca.issue({.common_name = "api", .names = {"localhost", "127.0.0.1"}});
//   const TestIdentity late = ca.issue({.common_name = "api", .not_after = std::chrono::hours(-1)});
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace rescheduler::test {

struct TestIdentity {
  std::string certificate_pem;
  std::string key_pem;
};

struct CertificateOptions {
  std::string common_name = "test";
  std::vector<std::string> organizations{};
  std::vector<std::string> names{"localhost", "127.0.0.1", "::1"};  // DNS names and addresses it is valid for
  std::chrono::seconds not_before = std::chrono::hours(-24);        // both relative to now
  std::chrono::seconds not_after = std::chrono::hours(24);
};

class TestAuthority {
 public:
  explicit TestAuthority(const std::string& common_name);
  ~TestAuthority();
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;

  const std::string& pem() const { return pem_; }
  TestIdentity issue(const CertificateOptions& options) const;

 private:
  struct Keys;
  std::unique_ptr<Keys> keys_;
  std::string pem_;
};

// Not signed by an authority.
TestIdentity self_signed(const CertificateOptions& options);

}  // namespace rescheduler::test
