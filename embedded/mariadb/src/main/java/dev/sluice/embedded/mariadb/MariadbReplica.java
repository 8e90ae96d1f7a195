package dev.sluice.embedded.mariadb;

import java.sql.SQLException;

/** A replica of MariaDB. */
public final class MariadbReplica extends EmbeddedReplica {
  private static final Words WORDS = new Words("SLAVE", "gtid_binlog_pos", "MASTER_GTID_WAIT");

  private MariadbReplica(EmbeddedServer server, EmbeddedServer primary) {
    super(server, primary, WORDS);
  }

  /**
   * Starts a server that gets all that is in the primary's log.
   *
   * @param number of the new server, another one than the primary's
   */
  public static MariadbReplica of(EmbeddedServer primary, int number) throws SQLException {
    return of(primary, settings(number).start());
  }

  /** The settings of such a server. */
  public static ServerBuilder<EmbeddedMariadb> settings(int number) {
    return EmbeddedMariadb.builder()
        .setting("server-id", Integer.toString(number))
        .setting("log-slave-updates", "ON");
  }

  static MariadbReplica of(EmbeddedServer primary, EmbeddedMariadb server) throws SQLException {
    MariadbReplica replica = new MariadbReplica(server, primary);
    replica.execute(
        "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = %d, MASTER_USER = 'root', MASTER_CONNECT_RETRY = 1, MASTER_SSL = 0, MASTER_USE_GTID = slave_pos"
            .formatted(primary.port()),
        "START SLAVE");
    return replica;
  }
}
