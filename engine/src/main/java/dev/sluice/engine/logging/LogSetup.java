package dev.sluice.engine.logging;

import static java.util.Map.entry;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.jul.LevelChangePropagator;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import dev.sluice.config.settings.LogFormat;
import java.util.Map;
import net.logstash.logback.encoder.LogstashEncoder;
import net.logstash.logback.fieldnames.LogstashFieldNames;
import org.slf4j.Logger;

/**
 * Configures what is logged and in which format, unless a system property names the user's own
 * file. In code, since reading a configuration file would take a tenth of a second of each command.
 * Created by Logback.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_NORMAL_PRIORITY)
public final class LogSetup extends ContextAwareBase implements Configurator {
  /** System property with the level of Sluice's own messages. */
  static final String LEVEL = "sluice.log.level";

  /** System property with the form, as {@link LogFormat} writes it. */
  static final String FORMAT = "sluice.log.format";

  /** System property with the file for a log that is not written to the screen. */
  static final String FILE = "sluice.log.file";

  /** System property of Logback with the user's own configuration file. */
  static final String OWN_FILE = "logback.configurationFile";

  private static final Map<String, Level> LEVELS =
      Map.ofEntries(
          entry("io.debezium", Level.WARN),
          // Warns of each statistic that it drops under load.
          entry("io.debezium.metrics.stats.MeasurementCollector", Level.OFF),
          entry("org.apache.kafka", Level.WARN),
          // Logs an error for a query whether a topic exists.
          entry("org.apache.kafka.clients.admin.internals.PartitionLeaderStrategy", Level.OFF),
          entry("kafka", Level.WARN),
          // Warnings at every start that do not matter for a task.
          entry("io.debezium.snapshot", Level.ERROR),
          entry("org.apache.kafka.controller", Level.ERROR),
          // Logs an error if the machine is busy.
          entry("org.apache.kafka.controller.EventPerformanceMonitor", Level.OFF),
          entry("org.apache.kafka.clients.NetworkClient", Level.ERROR),
          // In the demo: logs an error if a server that has ended cannot be stopped.
          entry("io.zonky.test.db.postgres.embedded.EmbeddedPostgres", Level.OFF),
          entry("state.change.logger", Level.WARN));

  /** One line for each message: a line that does not begin with a time belongs to a stack trace. */
  private static final String LINE =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSxxx} %-5level [%thread] %logger{0}:"
          + " %replace(%msg){'\\s*[\\r\\n]+\\s*',' '}%n";

  @Override
  public ExecutionStatus configure(LoggerContext logging) {
    if (System.getProperty(OWN_FILE) != null) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    LevelChangePropagator toJavasLogging = new LevelChangePropagator();
    toJavasLogging.setContext(logging);
    toJavasLogging.start();
    logging.addListener(toJavasLogging);
    LEVELS.forEach((name, level) -> logging.getLogger(name).setLevel(level));
    logging.getLogger("dev.sluice").setLevel(Level.toLevel(System.getProperty(LEVEL), Level.INFO));
    ch.qos.logback.classic.Logger root = logging.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.WARN);
    root.addAppender(appender(logging));
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  private static OutputStreamAppender<ILoggingEvent> appender(LoggerContext logging) {
    OutputStreamAppender<ILoggingEvent> appender =
        System.getProperty(FILE) == null ? screen() : file(System.getProperty(FILE));
    appender.setContext(logging);
    appender.addFilter(repeatedBreaks(logging));
    appender.setEncoder(
        LogFormat.JSON.toString().equals(System.getProperty(FORMAT))
            ? json(logging)
            : text(logging));
    appender.start();
    return appender;
  }

  private static ConsoleAppender<ILoggingEvent> screen() {
    ConsoleAppender<ILoggingEvent> screen = new ConsoleAppender<>();
    screen.setTarget("System.err");
    return screen;
  }

  private static FileAppender<ILoggingEvent> file(String path) {
    FileAppender<ILoggingEvent> file = new FileAppender<>();
    file.setFile(path);
    return file;
  }

  private static RepeatedBreaks repeatedBreaks(LoggerContext logging) {
    RepeatedBreaks filter = new RepeatedBreaks();
    filter.setContext(logging);
    filter.start();
    return filter;
  }

  private static Encoder<ILoggingEvent> text(LoggerContext logging) {
    PatternLayoutEncoder text = new PatternLayoutEncoder();
    text.setContext(logging);
    text.setPattern(LINE);
    text.start();
    return text;
  }

  private static Encoder<ILoggingEvent> json(LoggerContext logging) {
    LogstashFieldNames names = new LogstashFieldNames();
    names.setTimestamp("time");
    names.setLogger("logger");
    names.setThread("thread");
    names.setStackTrace("exception");
    names.setVersion("[ignore]");
    names.setLevelValue("[ignore]");
    LogstashEncoder json = new LogstashEncoder();
    json.setContext(logging);
    json.setTimestampPattern("yyyy-MM-dd'T'HH:mm:ss.SSSxxx");
    // The task is a property of the context.
    json.setIncludeContext(true);
    json.setFieldNames(names);
    json.start();
    return json;
  }
}
