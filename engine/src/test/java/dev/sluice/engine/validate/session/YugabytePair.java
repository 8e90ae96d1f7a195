package dev.sluice.engine.validate.session;

import dev.sluice.connector.api.comparison.ComparisonTarget;
import dev.sluice.embedded.postgres.strict.StrictProxy;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.target.yugabytedb.YugabyteDialect;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;

/** A pair whose target is compared as YugabyteDB, through a proxy that is as strict. */
public final class YugabytePair extends MovingPair {
  private final StrictProxy proxy;

  public YugabytePair(long seed) throws SQLException, IOException {
    proxy = new StrictProxy(targetPort(), seed);
    String settings = "ALTER DATABASE " + name() + " SET ";
    // The proxy hears of waits.
    onTarget(
        settings + "deadlock_timeout = '10ms'",
        settings + "log_lock_waits = on",
        settings + "client_min_messages = log");
  }

  public StrictProxy proxy() {
    return proxy;
  }

  @Override
  ComparisonTarget comparisonTarget() {
    return YugabyteDialect.INSTANCE.comparison(login());
  }

  @Override
  public TargetServer targetServer() {
    return new TargetServer(YugabyteDialect.INSTANCE, login());
  }

  private TargetLogin login() {
    return new TargetLogin(
        "jdbc:postgresql://127.0.0.1:%d/%s".formatted(proxy.port(), name()),
        "postgres",
        null,
        "test",
        50);
  }

  @Override
  public void close() throws SQLException {
    try {
      proxy.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      super.close();
    }
  }
}
