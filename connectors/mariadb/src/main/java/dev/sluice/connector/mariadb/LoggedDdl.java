package dev.sluice.connector.mariadb;

import dev.sluice.connector.api.source.NothingInstalled;
import java.util.Optional;

/**
 * The binary log has the statements of DDL themselves: nothing is installed for them. Stateless.
 */
final class LoggedDdl extends NothingInstalled {
  @Override
  public String kind() {
    return "statements of the log";
  }

  @Override
  public Optional<String> hindrance() {
    return Optional.empty();
  }

  @Override
  public String without(String reason) {
    throw new IllegalStateException("BUG: the log always has the statements: " + reason);
  }

  @Override
  public Optional<String> install() {
    return Optional.empty();
  }

  @Override
  public boolean isInLog() {
    return true;
  }
}
