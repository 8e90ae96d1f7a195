package dev.sluice.load.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.kind.TargetServers;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LockRoomTest {
  private static final Pattern ADVICE = Pattern.compile("Set it to (\\d+) or more");

  @Test
  void asManyTablesAsAreAllowedAreMadeAndEmptiedInOneTransaction() throws SQLException {
    try (EmbeddedPostgres postgres = server(10);
        TargetConnection connection = target(postgres).connect()) {
      int allowed =
          IntStream.iterate(1000, count -> count - 1)
              .filter(count -> problem(connection, tables(count), true).isEmpty())
              .findFirst()
              .orElseThrow();
      assertThat(allowed).isBetween(100, 999);

      create(connection, allowed);
      connection.jdbc().commit();

      assertThat(problem(connection, tables(allowed), false)).isEmpty();
      connection.execute(
          "TRUNCATE "
              + tables(allowed).stream().map(TableId::quoted).collect(Collectors.joining(", ")));
      connection.rollback();
      assertThat(problem(connection, tables(allowed), true))
          .as("the same load, which begins again")
          .isEmpty();
    }
  }

  @Test
  void tablesThatTheServerCannotLockAtOnceAreRefusedWithASettingThatIsEnough() throws SQLException {
    String advised;
    try (EmbeddedPostgres postgres = server(10);
        TargetConnection connection = target(postgres).connect()) {
      Problem problem = problem(connection, tables(2000), true).orElseThrow();
      assertThat(problem.toString())
          .contains(
              "max_locks_per_transaction on the target", "is 10", "6000 locks", "2000 tables");
      assertThatThrownBy(() -> create(connection, 2000))
          .hasMessageContaining("out of shared memory");
      connection.rollback();
      Matcher advice = ADVICE.matcher(problem.toString());
      assertThat(advice.find()).isTrue();
      advised = advice.group(1);
    }
    try (EmbeddedPostgres postgres = server(Integer.parseInt(advised));
        TargetConnection connection = target(postgres).connect()) {
      assertThat(problem(connection, tables(2000), true)).isEmpty();
      create(connection, 2000);
      connection.rollback();
    }
  }

  @Test
  void asManyLocksAreCountedForADropAsTheServerTakes() throws SQLException {
    try (EmbeddedPostgres postgres = server(64);
        TargetConnection connection = target(postgres).connect()) {
      List<TableId> tables = tables(10);
      create(connection, 10);
      connection.execute("CREATE TABLE public.parent (id int PRIMARY KEY) PARTITION BY RANGE (id)");
      connection.execute(
          "CREATE TABLE public.leaf PARTITION OF public.parent FOR VALUES FROM (0) TO (9)");
      connection.execute(
          "ALTER TABLE public.\"T 1\" ADD PRIMARY KEY (id), ADD CHECK (id > 0),"
              + " ADD n serial, ADD own int GENERATED ALWAYS AS IDENTITY, ADD UNIQUE (n)");
      connection.execute("CREATE INDEX ON public.\"T 1\" (v)");
      connection.execute("CREATE STATISTICS public.s ON id, v FROM public.\"T 1\"");
      connection.execute(
          "ALTER TABLE public.\"T 2\" ADD FOREIGN KEY (id) REFERENCES public.\"T 1\", ADD UNIQUE (id)");
      connection.execute(
          "ALTER TABLE public.\"T 3\" ADD FOREIGN KEY (id) REFERENCES public.parent");
      connection.jdbc().commit();
      List<TableId> all = new ArrayList<>(tables);
      all.add(new TableId("public", "parent"));
      all.add(new TableId("public", "leaf"));
      all.add(new TableId("public", "not there"));

      long counted = Dependents.locksOfDrop(connection, all);
      connection.rollback();
      connection.execute(
          "DROP TABLE IF EXISTS "
              + all.stream().map(TableId::quoted).collect(Collectors.joining(", ")));

      assertThat(counted).isEqualTo(locksOf(connection));
      connection.rollback();
    }
  }

  /** Without those of the catalog, which any number of sessions share, and of the transaction. */
  private static long locksOf(TargetConnection connection) throws SQLException {
    String sql =
        "SELECT count(DISTINCT (classid, objid, relation)) FROM pg_locks"
            + " WHERE pid = pg_backend_pid() AND mode = 'AccessExclusiveLock'";
    try (Statement statement = connection.jdbc().createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  private static Optional<Problem> problem(
      TargetConnection connection, List<TableId> tables, boolean made) {
    try {
      PostgresLoadDialect dialect = new PostgresLoadDialect();
      Optional<Problem> problem =
          made
              ? dialect.lockingAllMade(connection, tables, List.of())
              : dialect.lockingAllEmptied(connection, tables);
      connection.rollback();
      return problem;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void create(TargetConnection connection, int count) throws SQLException {
    for (TableId table : tables(count)) {
      connection.execute("CREATE TABLE " + table.quoted() + " (id int NOT NULL, v text)");
    }
  }

  private static List<TableId> tables(int count) {
    return IntStream.range(0, count).mapToObj(i -> new TableId("public", "T " + i)).toList();
  }

  private static EmbeddedPostgres server(int locks) {
    return EmbeddedPostgres.builder()
        .setting("max_locks_per_transaction", Integer.toString(locks))
        .setting("max_connections", "20")
        .start();
  }

  private static TargetServer target(EmbeddedPostgres postgres) {
    return TargetServers.postgres(
        "jdbc:postgresql://127.0.0.1:" + postgres.port() + "/postgres",
        "postgres",
        null,
        "sluice test",
        50);
  }
}
