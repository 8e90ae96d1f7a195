package dev.sluice.embedded.postgres.strict;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/*
 * Some of these are refused by all releases of YugabyteDB, some by those before 2025.2, some by all
 * that have not set a flag. TRUNCATE is refused in a block because YugabyteDB does not undo it, and
 * tableoid and snapshots of other sessions because nobody promises them.
 */
/** What a session of YugabyteDB may not send, and PostgreSQL would take. Pure. */
final class StrictRules {

  private record Rule(Pattern words, String what) {}

  private static final List<Rule> RULES =
      List.of(
          rule("\\b(ctid|xmin|xmax|cmin|cmax|tableoid)\\b", "system column \"%s\" is"),
          rule("\\b(pg_lsn)\\b", "type %s is"),
          rule("\\b(pg_current_wal_(?:insert_)?lsn)\\b", "%s() is"),
          rule("\\b(pg_export_snapshot|set\\s+transaction\\s+snapshot)\\b", "%s is"),
          rule("\\b(exclude)\\s+(?:using|\\()", "%s constraint is"),
          rule("\\bon\\s+commit\\s+(drop|delete\\s+rows)\\b", "ON COMMIT %s is"),
          rule("\\b(inherits)\\s*\\(", "%s is"),
          rule("^\\s*copy\\b.*\\bfrom\\b.*\\b(where|on_error)\\b", "COPY with %s is"),
          rule(
              "^\\s*lock\\b.*\\bin\\s+((?!access\\s+share\\s+mode)[a-z ]+?)\\s+mode\\b",
              "LOCK in mode %s is"),
          rule("^\\s*(lock)\\b(?!.*\\bmode\\b)", "%s without a mode is"));

  private static final Pattern DEFERRABLE = Pattern.compile("(?<!not )\\bdeferrable\\b");
  private static final Pattern FOREIGN_KEY = Pattern.compile("\\breferences\\b");

  private static final RefusedStatement INTERLEAVED =
      new RefusedStatement(
          "0A000",
          "interleaving SAVEPOINT & DDL in transaction disallowed without DDL savepoint support");

  private StrictRules() {}

  private static Rule rule(String words, String what) {
    return new Rule(Pattern.compile(words, Pattern.DOTALL), what);
  }

  /**
   * The refusal of a statement; empty if it may pass.
   *
   * @param block the transaction block before the statement
   */
  static Optional<RefusedStatement> refusal(StatementText sql, BlockState block) {
    if (sql.begins("savepoint") && block.hasDefinition()
        || sql.isDefinition() && block.hasSavepoint()) {
      return Optional.of(INTERLEAVED);
    }
    if (sql.begins("truncate") && block.isOpen()) {
      return Optional.of(RefusedStatement.unsupported("TRUNCATE that can be rolled back is"));
    }
    if (sql.isDefinition() && sql.has(DEFERRABLE) && !sql.has(FOREIGN_KEY)) {
      return Optional.of(RefusedStatement.unsupported("DEFERRABLE constraint is"));
    }
    for (Rule rule : RULES) {
      Matcher found = rule.words().matcher(sql.bare());
      if (found.find()) {
        return Optional.of(RefusedStatement.unsupported(rule.what().formatted(found.group(1))));
      }
    }
    return Optional.empty();
  }
}
