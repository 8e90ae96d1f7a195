package dev.sluice.connector.postgres.capture;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.internals.HiddenField;
import dev.sluice.config.internals.Library;
import io.debezium.connector.postgresql.Module;
import io.debezium.connector.postgresql.connection.MessageDecoder;
import io.debezium.connector.postgresql.connection.PostgresReplicationConnection;
import io.debezium.connector.postgresql.connection.ReplicationConnection;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/**
 * The members of Debezium's PostgreSQL connector that are not public and that Sluice uses.
 * Stateless.
 */
public final class DebeziumInternals {
  private static final String BUILD = "build.properties";

  private static final Library CONNECTOR =
      new Library("Debezium connector for PostgreSQL", Module.version(), versionOfTheBuild());

  private static final HiddenField<MessageDecoder> DECODER =
      CONNECTOR.field(PostgresReplicationConnection.class, "messageDecoder", MessageDecoder.class);

  private DebeziumInternals() {}

  /**
   * Fails if Debezium is another version that has not all of these members. Called at a start.
   *
   * @throws SluiceException.Fatal naming both versions
   */
  public static void require() {
    CONNECTOR.require();
  }

  static MessageDecoder decoder(ReplicationConnection connection) {
    return DECODER.get(connection);
  }

  static void setDecoder(ReplicationConnection connection, MessageDecoder decoder) {
    DECODER.set(connection, decoder);
  }

  private static String versionOfTheBuild() {
    Properties properties = new Properties();
    try (InputStream file = DebeziumInternals.class.getResourceAsStream(BUILD)) {
      properties.load(file);
    } catch (IOException e) {
      throw new IllegalStateException("BUG: " + BUILD + " cannot be read", e);
    }
    return properties.getProperty("debezium.version");
  }
}
