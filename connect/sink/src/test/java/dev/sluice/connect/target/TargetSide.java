package dev.sluice.connect.target;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;

/** A server of one type of target, with its own way to make tables. */
interface TargetSide extends AutoCloseable {

  /** The properties that name the target, with its type. */
  Map<String, String> properties();

  /**
   * Empty tables {@code shop.items} and {@code shop.orders} of a number {@code id}, their key, and
   * a text {@code name}; no control tables.
   */
  void begin() throws SQLException;

  /** A session of the administrator, who writes names in lower case without quotes. */
  Connection connect() throws SQLException;

  @Override
  void close() throws SQLException;
}
