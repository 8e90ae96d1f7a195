package dev.sluice.engine.ddl;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * An application of several sessions that does everything that it may to its tables and rows, all
 * by the seed: much of it is refused by PostgreSQL. The sessions take turns, so that a run can be
 * repeated. Owned by one thread.
 */
public final class RandomApplication {
  private final Random random;
  private final List<TwinSession> sessions;
  private final Words words;
  private final RowGrammar rows;
  private final TableGrammar tables;
  private final AlterGrammar alterations;
  private final TypeGrammar types;
  private final List<String> done = new ArrayList<>();
  private int succeeded;

  public RandomApplication(long seed, List<TwinSession> sessions) {
    this.random = new Random(seed);
    this.sessions = sessions;
    this.words = new Words(random);
    this.rows = new RowGrammar(words);
    this.tables = new TableGrammar(words);
    this.alterations = new AlterGrammar(words, tables);
    this.types = new TypeGrammar(words);
  }

  /** These statements, which must succeed. */
  public void run(List<String> statements) throws SQLException {
    for (String sql : statements) {
      note(sessions.get(0), sql, "…");
      String state = sessions.get(0).run(sql, false);
      note(sessions.get(0), "", state);
      if (!state.isEmpty()) {
        throw new AssertionError(sql + ": " + state);
      }
    }
  }

  /** So many statements, and then the end of every open transaction. */
  public void run(int statements) throws SQLException {
    for (int i = 0; i < statements; i++) {
      step(sessions.get(random.nextInt(sessions.size())));
    }
    for (TwinSession session : sessions) {
      if (session.isOpen()) {
        note(session, "COMMIT", session.end(true));
      }
    }
  }

  /** What was done and how it ended, oldest first. */
  public List<String> done() {
    return done;
  }

  public int succeeded() {
    return succeeded;
  }

  private void step(TwinSession session) throws SQLException {
    int control = random.nextInt(12);
    if (session.isOpen() && control <= 2) {
      boolean commit = control > 0;
      note(session, commit ? "COMMIT" : "ROLLBACK", "…");
      note(session, "", session.end(commit));
      return;
    }
    if (!session.isOpen() && control == 0) {
      session.begin();
      note(session, "BEGIN", "");
      return;
    }
    String sql = session.isOpen() && control == 3 ? savepoint() : statement(session.catalog());
    if (sql.startsWith("ALTER SCHEMA") && sessions.stream().anyMatch(TwinSession::isOpen)) {
      // It locks no table, so that nothing holds what others do in the schema apart from it.
      return;
    }
    note(session, sql, "…");
    note(session, "", session.run(sql, sql.contains("SET UNLOGGED")));
  }

  private String savepoint() {
    return new Choices<String>(random)
        .add(2, () -> "SAVEPOINT s")
        .add(2, () -> "ROLLBACK TO s")
        .add(1, () -> "RELEASE s; SAVEPOINT s")
        .get();
  }

  private String statement(SeenCatalog catalog) {
    return new Choices<String>(random)
        .add(14, () -> rows.statement(catalog))
        .add(5, () -> tables.create(catalog))
        .add(10, () -> alterations.statement(catalog))
        .add(3, () -> types.statement(catalog))
        .add(1, () -> tables.view(catalog))
        .add(1, () -> tables.drop(catalog))
        .get();
  }

  private void note(TwinSession session, String sql, String state) {
    if (sql.isEmpty()) {
      String last = done.remove(done.size() - 1);
      done.add(last.replaceFirst("…$", "") + (state.isEmpty() ? "" : "-- " + state));
      succeeded += state.isEmpty() ? 1 : 0;
      return;
    }
    done.add("/* " + session.name() + " */ " + sql + "; " + (state.equals("…") ? state : ""));
  }
}
