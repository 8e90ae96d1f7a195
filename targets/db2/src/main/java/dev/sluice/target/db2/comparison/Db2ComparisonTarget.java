package dev.sluice.target.db2.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.ComparisonTarget;
import dev.sluice.connector.api.comparison.SideIdentity;
import dev.sluice.connector.api.comparison.TargetView;
import dev.sluice.sink.target.CatalogReader;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetSessions;
import java.sql.DatabaseMetaData;
import java.time.Duration;

/** A Db2 target's side of comparisons. Threadsafe. */
public final class Db2ComparisonTarget implements ComparisonTarget {
  private static final Duration OF_ONE_QUESTION = Duration.ofSeconds(30);

  private final TargetSessions sessions;
  private final TargetLogin login;
  private final TargetErrors errors;
  private final CatalogReader catalog;

  public Db2ComparisonTarget(
      TargetSessions sessions, TargetLogin login, TargetErrors errors, CatalogReader catalog) {
    this.sessions = sessions;
    this.login = login;
    this.errors = errors;
    this.catalog = catalog;
  }

  @Override
  public TargetView open(Duration life) {
    return new Db2TargetView(CommittedReads.open(sessions, login, errors, life), catalog);
  }

  /** Without the server's id: Db2 has none that every user may read. */
  @Override
  public SideIdentity identity() {
    try (CommittedReads reads = CommittedReads.open(sessions, login, errors, OF_ONE_QUESTION)) {
      return reads.read(
          "the server's version",
          session -> {
            DatabaseMetaData server = session.getMetaData();
            String url = server.getURL();
            return new SideIdentity(
                url.substring(url.lastIndexOf('/') + 1).replaceFirst(":.*", ""),
                server.getDatabaseProductName() + " " + server.getDatabaseProductVersion(),
                "unknown");
          });
    }
  }

  /** Nothing to prepare: unlike in PostgreSQL, the first read of new rows writes nothing. */
  @Override
  public boolean prepare(TableId table) {
    return true;
  }
}
