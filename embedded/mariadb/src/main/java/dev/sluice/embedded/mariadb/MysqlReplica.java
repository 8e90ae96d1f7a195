package dev.sluice.embedded.mariadb;

import java.sql.SQLException;

/** A replica of MySQL. */
public final class MysqlReplica extends EmbeddedReplica {
  private static final Words WORDS =
      new Words("REPLICA", "gtid_executed", "WAIT_FOR_EXECUTED_GTID_SET");

  private MysqlReplica(EmbeddedServer server, EmbeddedServer primary) {
    super(server, primary, WORDS);
  }

  /**
   * Starts a server that gets all that is in the primary's log.
   *
   * @param number of the new server, another one than the primary's
   */
  public static MysqlReplica of(EmbeddedServer primary, int number) throws SQLException {
    return of(primary, settings(number).start());
  }

  /** The settings of such a server. Only the performance schema tells its filters. */
  public static ServerBuilder<EmbeddedMysql> settings(int number) {
    return EmbeddedMysql.builder()
        .setting("server-id", Integer.toString(number))
        .setting("performance-schema", "ON");
  }

  static MysqlReplica of(EmbeddedServer primary, EmbeddedMysql server) throws SQLException {
    MysqlReplica replica = new MysqlReplica(server, primary);
    replica.execute(
        "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = %d, SOURCE_USER = 'root', SOURCE_CONNECT_RETRY = 1, SOURCE_SSL = 0, GET_SOURCE_PUBLIC_KEY = 1, SOURCE_AUTO_POSITION = 1"
            .formatted(primary.port()),
        "START REPLICA");
    return replica;
  }
}
