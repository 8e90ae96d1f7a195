package dev.sluice.connector.mariadb;

import dev.sluice.config.task.UrlForm;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbConfig;

/** MySQL as a type of source. Threadsafe. */
public final class MysqlSources extends BinlogSources {

  /** For the service that finds it. */
  public MysqlSources() {
    super(Flavour.MYSQL);
  }

  @Override
  public UrlForm url() {
    return MariadbConfig.MYSQL_URL;
  }
}
