package dev.sluice.target.mariadb;

import dev.sluice.target.mariadb.server.ServerKind;

/** Loads rows into MySQL. Stateless, threadsafe. */
public final class MysqlLoadDialect extends MariadbLoadDialect {

  /** For the service that finds it. */
  public MysqlLoadDialect() {
    super(ServerKind.MYSQL);
  }
}
