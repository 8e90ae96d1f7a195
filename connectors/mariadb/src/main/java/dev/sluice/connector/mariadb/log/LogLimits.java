package dev.sluice.connector.mariadb.log;

import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The limits after which the server removes files of its binary log, even if readers still need
 * them. Immutable.
 *
 * @param now the server's clock, seconds since 1970
 * @param expireSeconds after this time a complete file may be removed; 0 for no limit
 * @param totalBytes the maximum size of all files, above which the oldest are removed; 0 for no
 *     limit
 */
record LogLimits(long now, long expireSeconds, long totalBytes) {
  static LogLimits read(MariadbQuery query) throws SQLException {
    Map<String, String> settings =
        query.variables(
            "binlog_expire_logs_seconds", "binlog_expire_logs_auto_purge", "max_binlog_total_size");
    // Only MySQL has it, and it is on by default.
    boolean expires = !"OFF".equals(settings.get("binlog_expire_logs_auto_purge"));
    return new LogLimits(
        Long.parseLong(query.row("SELECT UNIX_TIMESTAMP()").orElseThrow()[0]),
        expires ? Long.parseLong(settings.getOrDefault("binlog_expire_logs_seconds", "0")) : 0,
        Long.parseLong(settings.getOrDefault("max_binlog_total_size", "0")));
  }

  /** How many bytes can be written before the file of a place is removed. */
  OptionalLong room(BinlogFiles files, BinlogPosition from) {
    if (totalBytes == 0) {
      return OptionalLong.empty();
    }
    // The file that is being written stays, however large it is.
    long needed =
        files.behind(from).isEmpty() ? 0 : files.bytesAfter(new BinlogPosition(from.file(), 0));
    return OptionalLong.of(Math.max(0, totalBytes - needed));
  }

  /**
   * How long until a file may be removed. Empty in the first half of its lifetime: a task that is
   * only so far behind is not at risk, even if the server keeps its log for just an hour.
   *
   * @param completed when the file's last event was written, seconds since 1970
   */
  Optional<Duration> expiry(long completed) {
    long left = completed + expireSeconds - now;
    return expireSeconds == 0 || left > expireSeconds / 2
        ? Optional.empty()
        : Optional.of(Duration.ofSeconds(Math.max(0, left)));
  }
}
