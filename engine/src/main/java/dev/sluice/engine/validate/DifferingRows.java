package dev.sluice.engine.validate;

import dev.sluice.config.TableId;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * The rows that differed in one comparison, with their versions on both sides. A row with the same
 * versions in a later comparison was not written in between. Owned by the thread that compares.
 */
public final class DifferingRows {
  /** Limit for one table; enough to show that it differs. */
  private static final int KEPT_AT_MOST = 100_000;

  private final Map<TableId, OfTable> tables = new HashMap<>();

  /** The differing rows of a table; empty if none differed. */
  public OfTable of(TableId table) {
    return tables.getOrDefault(table, new OfTable(true));
  }

  OfTable of(TableId table, boolean keyed) {
    return tables.computeIfAbsent(table, name -> new OfTable(keyed));
  }

  /** Index at which a line's version begins: its last field. */
  static int version(byte[] line) {
    int at = line.length;
    while (at > 0 && line[at - 1] != '\t') {
      at--;
    }
    return at;
  }

  /** The differing rows of one table. Owned by the thread that compares. */
  public static final class OfTable {
    private final boolean keyed;
    private final Map<String, String> versions = new HashMap<>();
    private boolean complete = true;

    private OfTable(boolean keyed) {
      this.keyed = keyed;
    }

    /** Whether rows are identified by a key; otherwise by all their values. */
    public boolean isKeyed() {
      return keyed;
    }

    /** Whether all differing rows are kept; false if there were too many. */
    public boolean isComplete() {
      return complete;
    }

    /** The versions of each row on both sides, by its key. */
    public Map<String, String> versions() {
      return versions;
    }

    /**
     * Adds a row.
     *
     * @param source the line; null if the source has no such row
     */
    void add(byte[] source, byte[] target, int keyFields) {
      if (versions.size() >= KEPT_AT_MOST) {
        complete = false;
        return;
      }
      String both = versionText(source) + " " + versionText(target);
      String key = keyText(source != null ? source : target, keyFields);
      versions.put(keyed ? key : key + both, both);
    }

    private static String versionText(byte[] line) {
      return line == null ? "-" : text(line, version(line), line.length);
    }

    private static String keyText(byte[] line, int keyFields) {
      int fields = 0;
      int end = 0;
      while (end < line.length && (line[end] != '\t' || ++fields < keyFields)) {
        end++;
      }
      return text(line, 0, end);
    }

    private static String text(byte[] line, int from, int to) {
      return new String(line, from, to - from, StandardCharsets.ISO_8859_1);
    }
  }
}
