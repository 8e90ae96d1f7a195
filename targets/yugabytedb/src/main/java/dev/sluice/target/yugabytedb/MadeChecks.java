package dev.sluice.target.yugabytedb;

import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.OtherObject;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/*
 * A check runs with the rights of the session that writes a row, and with the loader's when it is
 * created. So only checks that call no function are created: comparisons of columns and constants
 * of built-in types.
 */
/** The checks of a table that Sluice creates. Immutable. */
record MadeChecks(TableOutline table) {
  private static final String CHECK = "CHECK ";
  private static final Pattern WHOLE = Pattern.compile("CHECK \\(.*\\)", Pattern.DOTALL);
  private static final Pattern LITERAL = Pattern.compile("'(?:[^'\\\\]|'')*'");
  private static final Pattern CAST =
      Pattern.compile("::([a-z]+(?: [a-z]+)*?(?:\\(\\d+(?:,\\d+)?\\))?(?:\\[])*)(?=[\\s),\\]]|$)");
  private static final Pattern CALL = Pattern.compile("([\\w\"]+)\\s*\\(");
  private static final Set<String> WORDS =
      Set.of("CHECK", "AND", "OR", "NOT", "ANY", "ALL", "IN", "BETWEEN", "THEN", "WHEN", "ELSE");

  List<CompletionStep> steps() {
    return table.others().stream()
        .filter(MadeChecks::isMade)
        .flatMap(check -> steps(check).stream())
        .toList();
  }

  /** Whether it is a check that Sluice creates. */
  static boolean isMade(OtherObject other) {
    return other.kind().equals("check")
        && WHOLE.matcher(other.definition()).matches()
        && callsNothing(LITERAL.matcher(other.definition()).replaceAll(" "));
  }

  private static boolean callsNothing(String withoutLiterals) {
    Matcher cast = CAST.matcher(withoutLiterals);
    StringBuilder rest = new StringBuilder();
    while (cast.find()) {
      cast.appendReplacement(rest, MadeTypes.isMade(cast.group(1)) ? " " : "::");
    }
    String plain = cast.appendTail(rest).toString();
    return !plain.contains("::")
        && !plain.contains(".")
        && !plain.contains("'")
        && CALL.matcher(plain).results().allMatch(call -> WORDS.contains(call.group(1)));
  }

  private List<CompletionStep> steps(OtherObject check) {
    MadeConstraint constraint = new MadeConstraint(table, check.name(), 'c');
    return List.of(
        constraint.made(Kind.CHECK, check.definition()),
        constraint.validated(
            "rows of %s break it".formatted(table.table()),
            "%s r WHERE NOT %s"
                .formatted(table.table().quoted(), check.definition().substring(CHECK.length())),
            table.columns().stream().map(OutlinedColumn::name).limit(1).toList()));
  }
}
