package dev.sluice.engine.page;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.engine.status.StatusJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** Chromium without a window, where it is installed. Owned by one test class. */
final class Browser implements AutoCloseable {
  private final ChromeDriver driver;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
  }

  /**
   * Starts it; the tests are skipped where it is missing.
   *
   * @param profile a folder of its own
   */
  static Browser start(Path profile) {
    Optional<Path> chromium = program("chromium").or(() -> program("google-chrome"));
    Optional<Path> chromedriver = program("chromedriver");
    Assumptions.assumeTrue(
        chromium.isPresent() && chromedriver.isPresent(),
        "Chromium and its driver are not installed: apt-get install chromium chromium-driver");
    ChromeOptions options = new ChromeOptions();
    options.setBinary(chromium.orElseThrow().toString());
    options.addArguments(
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--user-data-dir=" + profile);
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    logs.enable(LogType.PERFORMANCE, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    // The proxy of a test signs its certificate itself.
    options.setAcceptInsecureCerts(true);
    return new Browser(
        new ChromeDriver(
            new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver.orElseThrow().toFile())
                .build(),
            options));
  }

  private static Optional<Path> program(String name) {
    return Stream.of(System.getenv("PATH").split(":"))
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Opens a page and forgets what was logged before. */
  void open(String url) {
    driver.get("about:blank");
    problems();
    requestedHosts();
    driver.get(url);
  }

  void resize(int width, int height) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  void prefer(String colours) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", colours))));
  }

  WebElement find(String selector) {
    return driver.findElement(By.cssSelector(selector));
  }

  List<WebElement> all(String selector) {
    return driver.findElements(By.cssSelector(selector));
  }

  /** The text of an element, also of the part that is not in view. */
  String text(String selector) {
    return String.valueOf(
        run("return document.querySelector(arguments[0])?.textContent ?? ''", selector));
  }

  /** The texts of all elements, at one moment. */
  List<String> texts(String selector) {
    List<?> texts =
        (List<?>)
            run(
                "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)",
                selector);
    return texts.stream().map(String::valueOf).toList();
  }

  Object run(String script, Object... arguments) {
    return driver.executeScript(script, arguments);
  }

  /** As a click, wherever the page is scrolled to. */
  void press(String selector) {
    run("document.querySelector(arguments[0]).click()", selector);
  }

  /** Types a text instead of the one that is there. */
  void fill(String selector, String text) {
    WebElement field = find(selector);
    field.clear();
    field.sendKeys(text);
  }

  /** Presses the button with exactly this text. */
  void pressButton(String text) {
    run(
        "[...document.querySelectorAll('button')].find(b => b.textContent === arguments[0]).click()",
        text);
  }

  /** With the mouse, after the element is scrolled into view. */
  void doubleClick(String selector) {
    run(
        "document.querySelector(arguments[0]).scrollIntoView({block: 'center', behavior: 'instant'})",
        selector);
    new Actions(driver).doubleClick(find(selector)).perform();
  }

  void focus(String selector) {
    run("document.querySelector(arguments[0]).focus()", selector);
  }

  WebElement focused() {
    return driver.switchTo().activeElement();
  }

  String title() {
    return driver.getTitle();
  }

  /** Errors and warnings of the console since the last call. */
  List<String> problems() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
        .map(LogEntry::getMessage)
        .toList();
  }

  /** The hosts, with ports, of all requests since the last call. */
  List<String> requestedHosts() {
    return requestedUrls().stream()
        .map(URI::create)
        .filter(uri -> uri.getAuthority() != null)
        .map(URI::getAuthority)
        .toList();
  }

  /** The URLs of all requests since the last call. */
  List<String> requestedUrls() {
    List<String> urls = new ArrayList<>();
    for (LogEntry entry : driver.manage().logs().get(LogType.PERFORMANCE)) {
      requested(entry.getMessage()).ifPresent(urls::add);
    }
    return urls;
  }

  private static Optional<String> requested(String message) {
    try {
      JsonNode event = StatusJson.tree(message).get("message");
      return event.get("method").asText().equals("Network.requestWillBeSent")
          ? Optional.of(event.get("params").get("request").get("url").asText())
              .filter(url -> url.startsWith("http"))
          : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    driver.quit();
  }
}
