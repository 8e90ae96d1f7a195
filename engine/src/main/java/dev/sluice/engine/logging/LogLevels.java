package dev.sluice.engine.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import dev.sluice.config.document.NearestName;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.Problems;
import dev.sluice.config.document.SluiceException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/** The levels of the log, by package. Changed while the process runs, until it ends. Threadsafe. */
public final class LogLevels {
  private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(LogLevels.class);

  /** Back to the level of the start. */
  private static final String DEFAULT = "default";

  private static final List<String> LEVELS =
      List.of("off", "error", "warn", "info", "debug", "trace", DEFAULT);

  private static final String ROOT = "root";

  /** A package or class; a test of the form only. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z_$][\\w$]*(\\.[A-Za-z_$][\\w$]*)*");

  private final LoggerContext context;

  /** The levels that changed ones had at the start; empty for one that had its parent's. */
  private final Map<String, Optional<Level>> atStart = new HashMap<>();

  /** The levels of this process. */
  public LogLevels() {
    this((LoggerContext) LoggerFactory.getILoggerFactory());
  }

  LogLevels(LoggerContext context) {
    this.context = context;
  }

  /** One line for each package with a level of its own. */
  public synchronized List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (Logger logger : context.getLoggerList()) {
      if (logger.getLevel() != null) {
        lines.add(line(logger));
      }
    }
    return lines;
  }

  /**
   * Sets levels; all or none.
   *
   * @param levels by package or class; {@code root} is all others
   * @return a line for each
   * @throws SluiceException.Fatal with the problems of all of them
   */
  public synchronized List<String> set(Map<String, String> levels) {
    Problems problems = new Problems();
    levels.forEach((name, level) -> check(name, level, problems));
    problems.throwIfAny();
    List<String> lines = new ArrayList<>();
    levels.forEach(
        (name, level) -> {
          boolean isNew = !name.equalsIgnoreCase(ROOT) && isUnknown(name);
          String line = set(logger(name), level.toLowerCase(Locale.ROOT));
          LOG.info("log level changed: {}", line);
          lines.add(isNew ? line + "; nothing below this name has logged so far" : line);
        });
    return lines;
  }

  private static void check(String name, String level, Problems problems) {
    if (!NAME.matcher(name).matches()) {
      problems.add(
          new Problem(
              "logger " + name,
              "no name of a package",
              "a package or class such as dev.sluice.sink, or root for all others",
              "Write PACKAGE=LEVEL, such as dev.sluice.sink=debug"));
    }
    if (!LEVELS.contains(level.toLowerCase(Locale.ROOT))) {
      problems.add(
          new Problem(
              "level of " + name,
              level.isEmpty() ? "no level" : level,
              "one of: " + String.join(", ", LEVELS),
              NearestName.fix(level, LEVELS)));
    }
  }

  private String set(Logger logger, String level) {
    Level before = logger.getEffectiveLevel();
    if (level.equals(DEFAULT)) {
      Optional<Level> first = atStart.remove(logger.getName());
      if (first != null) {
        logger.setLevel(first.orElse(null));
      }
    } else {
      atStart.putIfAbsent(logger.getName(), Optional.ofNullable(logger.getLevel()));
      logger.setLevel(Level.toLevel(level));
    }
    return "%s %s -> %s".formatted(shown(logger), shown(before), shown(logger.getEffectiveLevel()));
  }

  private boolean isUnknown(String name) {
    return context.getLoggerList().stream()
        .map(Logger::getName)
        .noneMatch(known -> known.equals(name) || known.startsWith(name + "."));
  }

  private Logger logger(String name) {
    return context.getLogger(
        name.equalsIgnoreCase(ROOT) ? org.slf4j.Logger.ROOT_LOGGER_NAME : name);
  }

  private String line(Logger logger) {
    Optional<Level> first = atStart.get(logger.getName());
    String origin =
        first == null
            ? ""
            : ", " + first.map(LogLevels::shown).orElse("that of its parent") + " at the start";
    return shown(logger) + " " + shown(logger.getLevel()) + origin;
  }

  private static String shown(Logger logger) {
    return logger.getName().equals(org.slf4j.Logger.ROOT_LOGGER_NAME) ? ROOT : logger.getName();
  }

  private static String shown(Level level) {
    return level.toString().toLowerCase(Locale.ROOT);
  }
}
