package dev.sluice.bench.run;

import dev.sluice.bench.server.ServerPair;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.common.utils.AppInfoParser;

/** The conditions of a measurement: the line above a table. */
public final class Conditions {
  private static final Path SYSTEM = Path.of("/etc/os-release");
  private static final Path MEMORY = Path.of("/proc/meminfo");

  private Conditions() {}

  /**
   * Date, machine and versions.
   *
   * @param more what else the figures depend on
   */
  public static String of(ServerPair servers, String more) throws SQLException, IOException {
    return String.format(
        Locale.ROOT,
        "%s, %d processors, %s, %s, JDK %s, %s," + " Kafka %s embedded, %s:",
        LocalDate.now(ZoneOffset.UTC),
        Runtime.getRuntime().availableProcessors(),
        memory(),
        system(),
        System.getProperty("java.version"),
        servers.conditions(),
        AppInfoParser.getVersion(),
        more);
  }

  private static String memory() throws IOException {
    for (String line : lines(MEMORY)) {
      if (line.startsWith("MemTotal:")) {
        return Math.round(Long.parseLong(line.split("\\s+")[1]) / 1024.0 / 1024) + " GB";
      }
    }
    return "memory unknown";
  }

  private static String system() throws IOException {
    for (String line : lines(SYSTEM)) {
      if (line.startsWith("PRETTY_NAME=")) {
        return line.substring(line.indexOf('=') + 1).replace("\"", "");
      }
    }
    return System.getProperty("os.name");
  }

  private static List<String> lines(Path file) throws IOException {
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }
}
