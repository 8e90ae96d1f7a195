package dev.sluice.embedded.postgres.strict;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Settings and functions that YugabyteDB has and PostgreSQL lacks. The server stores the settings
 * under names with a prefix, so that it rolls them back like its own. Owned by the thread that
 * reads from the client.
 */
final class YugabyteSettings {
  static final String COPY_ROWS = "yb_default_copy_from_rows_per_transaction";
  static final String SINGLE_LOCKS = "yb_lock_pk_single_rpc";
  static final String RETRIES = "yb_max_query_layer_retries";

  private static final Map<String, String> DEFAULTS =
      Map.of(
          COPY_ROWS,
          "20000",
          RETRIES,
          "60",
          SINGLE_LOCKS,
          "off",
          "yb_enable_upsert_mode",
          "off",
          "yb_disable_transactional_writes",
          "off",
          "yb_read_from_followers",
          "off",
          "yb_locks_min_txn_age",
          "1000",
          "yb_locks_max_transactions",
          "16");

  private static final Pattern NAME =
      Pattern.compile("\\b(SET|SHOW|RESET)\\s+(yb_\\w+)\\b", Pattern.CASE_INSENSITIVE);

  private static final Pattern SET =
      Pattern.compile("\\bSET\\s+(yb_\\w+)\\s*(?:=|TO)\\s*'?(\\w+)'?", Pattern.CASE_INSENSITIVE);

  private static final Pattern ISOLATION =
      Pattern.compile("\\byb_get_effective_transaction_isolation_level\\(\\)");

  /** Whether READ COMMITTED is real; otherwise it is snapshot isolation. */
  private final boolean readCommitted;

  private final Map<String, String> values = new ConcurrentHashMap<>(DEFAULTS);

  private final ClusterFunctions cluster;

  YugabyteSettings(boolean readCommitted, ClusterFunctions cluster) {
    this.readCommitted = readCommitted;
    this.cluster = cluster;
  }

  /** The statement with the names under which the server stores the settings. */
  String rewritten(String sql) {
    Matcher set = SET.matcher(sql);
    while (set.find()) {
      values.computeIfPresent(set.group(1), (name, before) -> set.group(2));
    }
    if (StatementText.of(sql).begins("reset all", "discard all")) {
      values.putAll(DEFAULTS);
    }
    Matcher found = NAME.matcher(sql);
    StringBuilder text = new StringBuilder();
    while (found.find()) {
      boolean known = DEFAULTS.containsKey(found.group(2));
      found.appendReplacement(text, known ? "$1 yb.$2" : "$0");
    }
    return cluster.rewritten(
        ISOLATION
            .matcher(found.appendTail(text))
            .replaceAll(
                readCommitted ? "current_setting('transaction_isolation')" : "'repeatable read'"));
  }

  boolean isOn(String name) {
    return values.get(name).equals("on");
  }

  int number(String name) {
    return Integer.parseInt(values.get(name));
  }
}
