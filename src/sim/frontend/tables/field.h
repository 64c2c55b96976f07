// Reads the JSON of an object by paths that can be absent. An absent field has no text, is zero, false and empty.
// Only .cc files include this header, because it includes Boost.JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace rescheduler::sim {

class Field {
 public:
  explicit Field(const boost::json::value* value) : value_(value) {}

  Field operator[](std::string_view name) const {
    const boost::json::object* object = present() ? value_->if_object() : nullptr;
    return Field(object ? object->if_contains(name) : nullptr);
  }
  Field at(std::size_t index) const { return Field(index < size() ? &items()[index] : nullptr); }
  // The element of a list of objects whose field `name` has the text `value`.
  Field where(std::string_view name, std::string_view value) const {
    for (const boost::json::value& item : items()) {
      if (Field(&item)[name].text() == value) return Field(&item);
    }
    return Field(nullptr);
  }

  bool present() const { return value_ && !value_->is_null(); }
  const boost::json::value* value() const { return value_; }
  std::string_view text(std::string_view otherwise = {}) const {
    const boost::json::string* string = value_ ? value_->if_string() : nullptr;
    return string && !string->empty() ? std::string_view(*string) : otherwise;
  }
  // A number or a text, as an IntOrString prints.
  std::string printed(std::string_view otherwise = {}) const {
    if (value_ && value_->is_int64()) return std::to_string(value_->get_int64());
    return std::string(text(otherwise));
  }
  std::int64_t number() const {
    if (!value_) return 0;
    if (const std::int64_t* whole = value_->if_int64()) return *whole;
    if (const double* real = value_->if_double()) return static_cast<std::int64_t>(*real);
    return 0;
  }
  bool flag() const {
    const bool* flag = value_ ? value_->if_bool() : nullptr;
    return flag && *flag;
  }
  const boost::json::array& items() const {
    static const boost::json::array none;
    const boost::json::array* array = value_ ? value_->if_array() : nullptr;
    return array ? *array : none;
  }
  const boost::json::object& members() const {
    static const boost::json::object none;
    const boost::json::object* object = value_ ? value_->if_object() : nullptr;
    return object ? *object : none;
  }
  std::size_t size() const { return items().size(); }

 private:
  const boost::json::value* value_;
};

}  // namespace rescheduler::sim
