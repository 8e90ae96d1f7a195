package dev.sluice.embedded.postgres.strict;

/**
 * A server with its figures as {@code yb_servers_metrics()} lists it. Immutable.
 *
 * @param port of the listed server
 * @param status {@code OK} if it has answered
 * @param metrics an object of JSON, whose values are texts
 */
public record MeasuredServer(int port, String status, String metrics) {
  private static final long GIGABYTE = 1L << 30;

  /** A server that answers, and has memory enough. */
  public static MeasuredServer busy(int port, int percentOfProcessors) {
    return new MeasuredServer(port, "OK", metrics(percentOfProcessors, 8, 2));
  }

  /** A server that answers and does little, and whose process uses more memory than it should. */
  public static MeasuredServer aboveItsMemory(int port) {
    return new MeasuredServer(port, "OK", metrics(5, 8, 7));
  }

  /** A server that does little, on a machine with little memory left. */
  public static MeasuredServer onFullMachine(int port) {
    return new MeasuredServer(port, "OK", metrics(5, 1, 2));
  }

  public static MeasuredServer notAnswering(int port) {
    return new MeasuredServer(port, "ERROR", "{}");
  }

  private static String metrics(int percent, int availableGigabytes, int usedGigabytes) {
    return ("{\"memory_free\": \"%2$d\", \"memory_total\": \"%3$d\", \"cpu_usage_user\": \"%1$d.%7$02d\","
            + " \"cpu_usage_system\": \"0.000000\", \"memory_available\": \"%2$d\","
            + " \"tserver_root_memory_limit\": \"%4$d\", \"tserver_root_memory_soft_limit\": \"%5$d\","
            + " \"tserver_root_memory_consumption\": \"%6$d\"}")
        .formatted(
            percent / 100,
            availableGigabytes * GIGABYTE,
            16 * GIGABYTE,
            7 * GIGABYTE,
            6 * GIGABYTE,
            usedGigabytes * GIGABYTE,
            percent % 100);
  }

  /** Its row, with the columns of the function. */
  String row() {
    return "(md5('%d'), '%s'::jsonb, '%s'::text, ''::text)".formatted(port, metrics, status);
  }
}
