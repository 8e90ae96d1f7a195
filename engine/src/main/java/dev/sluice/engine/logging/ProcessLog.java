package dev.sluice.engine.logging;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.ContextInitializer;
import ch.qos.logback.core.joran.spi.JoranException;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.LogFormat;
import dev.sluice.config.task.TaskName;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;
import org.slf4j.helpers.NOP_FallbackServiceProvider;

/** Sets up the log of this process, before its threads start. Stateless. */
public final class ProcessLog {
  /** System properties of SLF4J: who provides the log, and what it says of itself. */
  private static final String PROVIDER = "slf4j.provider";

  private static final String VERBOSITY = "slf4j.internal.verbosity";

  private ProcessLog() {}

  /**
   * This process has no log, unless its user names a file that says how to log. To find a log, each
   * library is opened, which takes longer than all that a command does to ask the daemon. Called
   * before {@link #begin}.
   */
  public static void none() {
    if (System.getProperty(LogSetup.OWN_FILE) == null && System.getProperty(PROVIDER) == null) {
      System.setProperty(PROVIDER, NOP_FallbackServiceProvider.class.getName());
      System.setProperty(VERBOSITY, "WARN");
    }
  }

  private static boolean isNone() {
    return NOP_FallbackServiceProvider.class.getName().equals(System.getProperty(PROVIDER));
  }

  /**
   * Begins the log of a command, as text. Called before the first logger is made.
   *
   * @param level of Sluice's own messages
   */
  public static void begin(String level) {
    System.setProperty(LogSetup.LEVEL, level);
    if (!isNone() && !SLF4JBridgeHandler.isInstalled()) {
      // The driver of PostgreSQL and Java's HTTP server log by java.util.logging.
      SLF4JBridgeHandler.removeHandlersForRootLogger();
      SLF4JBridgeHandler.install();
    }
  }

  /** The log of this process goes to a file, and the screen shows only what the command writes. */
  public static void intoFile(Path file) {
    System.setProperty(LogSetup.FILE, file.toString());
  }

  /** Continues the log as that of a task, in the form that its settings say. */
  public static void continueAs(TaskName task, LogFormat format) {
    if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
      return;
    }
    if (format == LogFormat.JSON) {
      System.setProperty(LogSetup.FORMAT, format.toString());
      try {
        context.reset();
        new ContextInitializer(context).autoConfig();
      } catch (JoranException e) {
        throw new SluiceException.Fatal("the log cannot be written as JSON: " + e.getMessage(), e);
      }
    }
    context.putProperty("task", task.toString());
  }
}
