package dev.sluice.connector.mariadb;

import dev.sluice.connector.mariadb.server.MariadbConfig;

/** MySQL as a type of source. Threadsafe. */
public final class MysqlSources extends MariadbSources {

  @Override
  public String name() {
    return MariadbConfig.MYSQL;
  }
}
