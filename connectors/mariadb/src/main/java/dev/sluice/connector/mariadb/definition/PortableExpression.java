package dev.sluice.connector.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.definition.ExpressionWords.Token;
import dev.sluice.connector.mariadb.server.SqlText;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Translates conditions of MariaDB that mean the same in PostgreSQL: comparisons of columns and
 * constants. Functions, divisions and all else that may differ are not translated. Stateless.
 */
final class PortableExpression {
  private static final Set<String> WORDS =
      Set.of("and", "or", "not", "is", "null", "in", "between", "true", "false");

  private PortableExpression() {}

  /** The same in PostgreSQL's SQL; empty if it is not known to be the same. */
  static Optional<String> of(String expression) {
    Optional<List<Token>> tokens = ExpressionWords.of(expression);
    if (tokens.isEmpty()) {
      return Optional.empty();
    }
    StringBuilder sql = new StringBuilder();
    for (Token token : tokens.get()) {
      switch (token.kind()) {
        case COLUMN -> sql.append(TableId.quote(token.value()));
        case TEXT -> sql.append(SqlText.of(token.value()));
        case WORD -> {
          if (!WORDS.contains(token.value())) {
            return Optional.empty();
          }
          sql.append(token.printed());
        }
        case NUMBER, SIGN, BLANK -> sql.append(token.printed());
      }
    }
    return Optional.of(sql.toString());
  }
}
