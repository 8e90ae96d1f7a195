package dev.sluice.engine.page;

import dev.sluice.engine.status.ControlToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One browser for a test class, and for each test a page of its own, open and live. The tests are
 * skipped where there is no browser.
 */
final class PageInBrowser
    implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
  private Path profile;
  private Path folder;
  private Browser browser;
  private StandingTask task;
  private ServedPage served;

  Browser browser() {
    return browser;
  }

  /** A task whose page is opened before the test; it has something of every kind. */
  StandingTask newTask() {
    task = new StandingTask(StandingTask.ofEveryKind());
    return task;
  }

  ServedPage served() {
    return served;
  }

  /** The token of the daemon that runs. */
  ControlToken token() {
    return served.token();
  }

  /** The parent of the task's data directory. */
  Path folder() {
    return folder;
  }

  void stopDaemon() {
    served.close();
  }

  /** Another daemon at the same address, after the first one was stopped. */
  void startAgain(StandingTask next) {
    served = ServedPage.startAgain(dataDirectory(), next, served.port());
  }

  private Path dataDirectory() {
    return folder.resolve("data");
  }

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    profile = Files.createTempDirectory("sluice-browser-");
    browser = Browser.start(profile.resolve("profile"));
  }

  @Override
  public void beforeEach(ExtensionContext context) throws IOException {
    folder = Files.createTempDirectory("sluice-page-");
    Files.createDirectories(dataDirectory());
    served = ServedPage.start(dataDirectory(), task, 0);
    browser.resize(1600, 1000);
    browser.prefer("light");
    served.openIn(browser);
  }

  @Override
  public void afterEach(ExtensionContext context) throws IOException {
    if (served != null) {
      served.close();
    }
    delete(folder);
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    if (browser != null) {
      browser.close();
    }
    delete(profile);
  }

  /** A browser that has just ended may still remove files of its own. */
  private static void delete(Path directory) throws IOException {
    List<Path> found;
    try (Stream<Path> files = Files.walk(directory)) {
      found = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : found) {
      Files.deleteIfExists(file);
    }
  }
}
