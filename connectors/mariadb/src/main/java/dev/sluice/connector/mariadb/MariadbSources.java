package dev.sluice.connector.mariadb;

import dev.sluice.config.task.UrlForm;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbConfig;

/** MariaDB as a type of source. Threadsafe. */
public final class MariadbSources extends BinlogSources {

  /** For the service that finds it. */
  public MariadbSources() {
    super(Flavour.MARIADB);
  }

  @Override
  public UrlForm url() {
    return MariadbConfig.URL;
  }
}
