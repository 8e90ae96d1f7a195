package dev.sluice.config.document;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Finds the known name that is closest to a misspelt one. Stateless. */
public final class NearestName {

  private NearestName() {}

  /** The closest known name; empty if none is close. Letter case is ignored. */
  public static Optional<String> of(String misspelt, Collection<String> known) {
    String best = null;
    int bestDistance = Math.max(2, misspelt.length() / 3) + 1;
    for (String name : known) {
      int distance = distance(misspelt.toLowerCase(Locale.ROOT), name.toLowerCase(Locale.ROOT));
      if (distance < bestDistance) {
        best = name;
        bestDistance = distance;
      }
    }
    return Optional.ofNullable(best);
  }

  /** The fix for a misspelt name: the closest one, or all allowed names. */
  public static String fix(String misspelt, Collection<String> known) {
    return of(misspelt, known)
        .map(name -> "Did you mean \"" + name + "\"?")
        .orElseGet(() -> "Use one of: " + String.join(", ", known));
  }

  /** The Levenshtein distance; only one row of its table is kept. */
  private static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int column = 0; column <= to.length(); column++) {
      row[column] = column;
    }
    for (int line = 1; line <= from.length(); line++) {
      int diagonal = row[0];
      row[0] = line;
      for (int column = 1; column <= to.length(); column++) {
        int replaced = diagonal + (from.charAt(line - 1) == to.charAt(column - 1) ? 0 : 1);
        diagonal = row[column];
        row[column] = Math.min(replaced, Math.min(row[column], row[column - 1]) + 1);
      }
    }
    return row[to.length()];
  }
}
