package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.mariadb.capture.position.Gtid;
import dev.sluice.connector.mariadb.capture.position.MysqlTransaction;

/**
 * The transactions after which the task stops and that were not read yet. Owned by the thread that
 * reads the log.
 */
public interface AwaitedGtids {
  /**
   * A transaction of MariaDB was read.
   *
   * @throws dev.sluice.config.document.SluiceException.Fatal if it shows that an awaited one cannot
   *     come any more
   */
  default void read(Gtid gtid) {}

  /** A transaction of MySQL was read. */
  default void read(MysqlTransaction transaction) {}

  /** Whether all were read. */
  boolean isEmpty();
}
