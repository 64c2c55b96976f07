// Values that are cheap to copy: a copy shares its content with the original until one of the two writes.
//
//   Cow<T>          one value. write() copies it first if it is shared.
//   PagedVector<T>  an array in pages of a fixed size. write(i) copies only the page of element i.
//
// Different copies can be used by different threads at the same time. One copy belongs to one thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

namespace rescheduler {

template <class T>
class Cow {
 public:
  Cow() : content_(new Content) {}
  explicit Cow(T value) : content_(new Content(std::move(value))) {}

  const T& operator*() const { return content_->value; }
  const T* operator->() const { return &content_->value; }
  // If this call copies the value, references from earlier reads still refer to the old value, which other copies keep.
  T& write() {
    if (content_->use_count() != 1) content_.reset(new Content(content_->value));
    return content_->value;
  }
  bool shares_with(const Cow& other) const { return content_ == other.content_; }

 private:
  struct Content : boost::intrusive_ref_counter<Content, boost::thread_safe_counter> {
    Content() = default;
    explicit Content(const T& from) : value(from) {}
    explicit Content(T&& from) : value(std::move(from)) {}
    T value{};
  };
  boost::intrusive_ptr<Content> content_;
};

template <class T, std::size_t kPageSize = 32>
class PagedVector {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](std::size_t index) const { return (*pages_[index / kPageSize])[index % kPageSize]; }
  T& write(std::size_t index) { return pages_[index / kPageSize].write()[index % kPageSize]; }
  void resize(std::size_t size) {  // only to a larger size
    size_ = size;
    pages_.resize((size + kPageSize - 1) / kPageSize);
  }
  T& emplace_back() {
    resize(size_ + 1);
    return write(size_ - 1);
  }
  std::size_t pages() const { return pages_.size(); }
  std::size_t pages_shared_with(const PagedVector& other) const {
    std::size_t shared = 0;
    for (std::size_t i = 0; i < std::min(pages_.size(), other.pages_.size()); ++i) {
      if (pages_[i].shares_with(other.pages_[i])) ++shared;
    }
    return shared;
  }

  class Iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = const T&;
    using iterator_category = std::forward_iterator_tag;
    Iterator() = default;
    Iterator(const PagedVector& all, std::size_t index) : all_(&all), index_(index) {}
    const T& operator*() const { return (*all_)[index_]; }
    const T* operator->() const { return &(*all_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++index_;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const PagedVector* all_ = nullptr;
    std::size_t index_ = 0;
  };
  Iterator begin() const { return Iterator(*this, 0); }
  Iterator end() const { return Iterator(*this, size_); }

 private:
  std::vector<Cow<std::array<T, kPageSize>>> pages_;
  std::size_t size_ = 0;
};

}  // namespace rescheduler
