package dev.sluice.connector.comparison;

import dev.sluice.config.document.SluiceException;
import java.sql.Connection;
import java.sql.SQLException;

/** The server of one side, as source or target knows it. Threadsafe. */
public interface SideServer {

  /** Opens a session in auto-commit mode. Does not wait long for a server that does not answer. */
  Connection open() throws SQLException;

  /** Statements for further settings that each session needs, on one line; empty without any. */
  default String settings() {
    return "";
  }

  /** The failure for an error that has nothing to do with a table. */
  SluiceException failed(String attempted, SQLException error);

  /** Whether it is the source or the target, and its user and address, for messages. */
  @Override
  String toString();
}
