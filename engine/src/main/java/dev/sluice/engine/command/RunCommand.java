package dev.sluice.engine.command;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.LogFormat;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.task.CdcStop;
import dev.sluice.config.task.SourceType;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.daemon.TaskDaemon;
import dev.sluice.engine.logging.ProcessLog;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

@Command(
    name = "run",
    description =
        "Runs a task in the foreground. SIGTERM or Ctrl-C ends it with a checkpoint; run again, it"
            + " continues from there. A task with ValidationOnly compares both sides once, prints"
            + " a line for each table, and ends as validate does.",
    mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);

  private static final Duration PREPARING_TIMEOUT = Duration.ofSeconds(5);

  @ParentCommand private SluiceCommand root;

  @Mixin private TaskFileArgument file;

  @Option(
      names = "--until",
      paramLabel = "WHERE",
      description =
          "Where to stop, with a checkpoint: after a position of the source; commit_time:TIME,"
              + " before the first transaction that was committed after that time;"
              + " server_time:TIME, when the source's clock shows that time; now, after all that is"
              + " committed at this moment. Replaces cdc-stop-position.")
  private Optional<String> until = Optional.empty();

  @Override
  public Integer call() throws InterruptedException {
    TaskConfig config = until.map(this::readStopping).orElseGet(file::read);
    LogFormat format = config.taskSettings().get(SluiceSettings.LOG_FORMAT);
    ProcessLog.continueAs(config.task(), format);
    if (ValidationOnlyRun.isWantedBy(config)) {
      return ValidationOnlyRun.run(config);
    }
    TaskDaemon daemon = new TaskDaemon(config);
    Thread.setDefaultUncaughtExceptionHandler(daemon::threadEnded);
    CountDownLatch ended = new CountDownLatch(1);
    int[] exitCode = {ExitCode.DONE};
    Thread onSignal =
        new Thread(
            () -> {
              daemon.commands().stop(false);
              awaitEnd(daemon, ended);
              // Java would otherwise end with 143, also after a clean stop.
              Runtime.getRuntime().halt(exitCode[0]);
            },
            "sluice-signal");
    Runtime.getRuntime().addShutdownHook(onSignal);
    try {
      daemon.run();
    } catch (RuntimeException e) {
      exitCode[0] = report(e, format);
    } finally {
      ended.countDown();
    }
    removeHook(onSignal);
    return exitCode[0];
  }

  private TaskConfig readStopping(String where) {
    TaskConfig config = file.read();
    if (!config.migrationType().captures()) {
      throw new SluiceException.Fatal(
          new Problem(
              "--until " + where,
              "migration-type " + config.migrationType() + " replicates no changes",
              "a task that does",
              "Omit it: the task ends with its load"));
    }
    CdcStop stop =
        where.equals(CdcStop.NOW)
            ? new CdcStop.Now()
            : CdcStop.parse(where, Optional.of(SourceType.of(config.source())))
                .orElseThrow(
                    () ->
                        new SluiceException.Fatal(
                            new Problem(
                                "--until",
                                "'" + where + "'",
                                CdcStop.NOW
                                    + ", "
                                    + CdcStop.expected(
                                        where, Optional.of(SourceType.of(config.source()))),
                                "Write a time with its offset, or Z for UTC")));
    return config.stoppingAt(stop);
  }

  /** Says why the daemon fails, in the form of its log; returns the exit code. */
  private int report(RuntimeException failure, LogFormat format) {
    if (format == LogFormat.TEXT) {
      return new FailureReport(System.err, root.debug()).print(failure);
    }
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    int exitCode =
        new FailureReport(new PrintStream(text, false, StandardCharsets.UTF_8), false)
            .print(failure);
    boolean isExpected = failure instanceof SluiceException && !root.debug();
    LOG.error("{}", text.toString(StandardCharsets.UTF_8).strip(), isExpected ? null : failure);
    return exitCode;
  }

  /**
   * Waits for the daemon's end, without a limit for the last window. A daemon that still waits for
   * a server has no work to finish, so it gets five seconds only.
   */
  private static void awaitEnd(TaskDaemon daemon, CountDownLatch ended) {
    try {
      while (!ended.await(PREPARING_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        if (daemon.isPreparing()) {
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Removes the shutdown hook; if it runs already, it ends the process with the right code. */
  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException ending) {
      awaitForever();
    }
  }

  private static void awaitForever() {
    CountDownLatch never = new CountDownLatch(1);
    while (true) {
      try {
        never.await();
      } catch (InterruptedException e) {
        // The hook ends the process.
        continue;
      }
    }
  }
}
