package dev.sluice.target.db2.catalog;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.LoadStatements;
import dev.sluice.target.db2.session.Db2Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Guards of a load into Db2. Stateless, threadsafe. */
public final class Db2LoadStatements implements LoadStatements {

  /** The statistics are not read: no metadata of the driver has them. */
  @Override
  public List<Existing> existing(Connection session, Collection<TableId> tables)
      throws SQLException {
    List<Existing> found = new ArrayList<>();
    for (TableId table : new TreeSet<>(tables)) {
      if (Db2Metadata.hasTable(session, table)) {
        found.add(new Existing(table, table.quoted(), 0));
      }
    }
    return found;
  }

  @Override
  public Optional<String> lock(List<Existing> tables) {
    return Optional.empty();
  }

  @Override
  public String countUpTo(Existing table, int limit) {
    return "SELECT COUNT(*) FROM (SELECT 1 AS one FROM %s FETCH FIRST %d ROWS ONLY) AS counted"
        .formatted(table.from(), limit);
  }

  @Override
  public Limit limitStatements(Connection session, Duration limit) throws SQLException {
    Db2Session limited = session.unwrap(Db2Session.class);
    Duration before = limited.statementLimit();
    limited.limitStatements(limit);
    return () -> limited.restoreStatementLimit(before);
  }

  /** RUNSTATS is no SQL; the server collects statistics by itself, unless AUTO_RUNSTATS is off. */
  @Override
  public Optional<String> analyze(TableId table) {
    return Optional.empty();
  }
}
