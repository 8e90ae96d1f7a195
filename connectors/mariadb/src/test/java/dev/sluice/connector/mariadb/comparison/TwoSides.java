package dev.sluice.connector.mariadb.comparison;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.HashSeeds;
import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.SideView;
import dev.sluice.connector.api.comparison.SourceView;
import dev.sluice.connector.api.comparison.TargetView;
import dev.sluice.connector.api.load.LobCut;
import dev.sluice.connector.api.load.OrderedCopy;
import dev.sluice.connector.api.source.load.OrderedLines;
import dev.sluice.connector.api.source.load.OrderedReader;
import dev.sluice.connector.comparison.PostgresComparisonTarget;
import dev.sluice.connector.comparison.SideServer;
import dev.sluice.connector.mariadb.SourceDatabase;
import dev.sluice.connector.mariadb.catalog.DatabaseTables;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** A database of MariaDB, and one of PostgreSQL with tables that a load filled. */
final class TwoSides implements AutoCloseable {
  static final Duration LIFE = Duration.ofMinutes(5);
  static final RowHash HASH =
      new RowHash(new HashSeeds(42, -7), RowHash.Function.SHA256, RowHash.RowForm.UTF8);

  private static EmbeddedPostgres postgres;

  final SourceDatabase source;
  private final ValuePolicy values;
  private final Connection target;

  TwoSides(String... statements) {
    this(ValuePolicy.REFUSE, statements);
  }

  TwoSides(ValuePolicy values, String... statements) {
    this.values = values;
    source = new SourceDatabase(statements);
    try {
      postgres().createDatabase(source.name);
      target = postgres().connect(source.name);
      onTarget("CREATE SCHEMA " + source.name);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static synchronized EmbeddedPostgres postgres() {
    if (postgres == null) {
      postgres = EmbeddedPostgres.start();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> postgres.close()));
    }
    return postgres;
  }

  void onTarget(String sql) {
    try (Statement statement = target.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  MariadbTable table(String name) {
    try {
      return DatabaseTables.read(source.connection, source.name)
          .table(source.table(name))
          .orElseThrow();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Makes the table on the target, and copies its rows as a load does. */
  void load(String name) throws Exception {
    MariadbTable table = table(name);
    String columns =
        table.mappedColumns().stream()
            .map(column -> TableId.quote(column.name()) + " " + column.type())
            .collect(Collectors.joining(", "));
    String key =
        table.keyColumns().isEmpty()
            ? ""
            : ", PRIMARY KEY ("
                + table.keyColumns().stream().map(TableId::quote).collect(Collectors.joining(", "))
                + ")";
    onTarget("CREATE TABLE %s (%s%s)".formatted(table.table().quoted(), columns, key));
    copy(table);
  }

  private void copy(MariadbTable table) throws Exception {
    List<String> names = table.columns().stream().map(column -> column.name()).toList();
    CopyIn copy =
        target
            .unwrap(PGConnection.class)
            .getCopyAPI()
            .copyIn("COPY %s FROM STDIN".formatted(table.table().quoted()));
    try (OrderedReader reader = source.source(values).reader().inOrder();
        OrderedLines lines =
            reader.read(
                new OrderedCopy(
                    table.table(), false, List.of(), names, LobCut.NONE, Optional.empty()))) {
      for (byte[] line = lines.next(); line != null; line = lines.next()) {
        copy.writeToCopy(line, 0, line.length);
      }
    }
    copy.endCopy();
  }

  SourceView ofSource() {
    return source.source(values).comparison().open(LIFE);
  }

  TargetView ofTarget() {
    TargetView view = new PostgresComparisonTarget(new Server()).open(LIFE);
    view.takeSnapshot();
    view.form(HASH.seeds());
    return view;
  }

  /** All columns of a table, by its key. */
  ComparedRows rows(SideView view, String name) {
    view.table(source.table(name)).orElseThrow();
    MariadbTable table = table(name);
    return new ComparedRows(
        table.table(),
        false,
        table.keyColumns().stream().map(ComparedValue::of).toList(),
        table.keyColumns(),
        table.columns().stream().map(column -> ComparedValue.of(column.name())).toList(),
        Optional.empty(),
        List.of());
  }

  private final class Server implements SideServer {
    @Override
    public Connection open() throws SQLException {
      return postgres().connect(source.name);
    }

    @Override
    public SluiceException failed(String attempted, SQLException error) {
      return new SluiceException.Fatal(attempted + ": " + error.getMessage(), error);
    }

    @Override
    public String toString() {
      return "target";
    }
  }

  @Override
  public void close() throws SQLException {
    target.close();
    source.close();
  }
}
