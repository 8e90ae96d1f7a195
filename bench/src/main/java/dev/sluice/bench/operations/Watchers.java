package dev.sluice.bench.operations;

import java.util.Optional;
import java.util.Set;

/** Who watches a task for a while. Owned by one thread. */
public final class Watchers implements AutoCloseable {
  private final Optional<OpenPage> page;
  private final Optional<Scrapes> scrapes;

  private Watchers(Optional<OpenPage> page, Optional<Scrapes> scrapes) {
    this.page = page;
    this.scrapes = scrapes;
  }

  /**
   * Starts them.
   *
   * @param who of {@code page} and {@code scrapes}
   */
  public static Watchers start(String address, Set<String> who) {
    return new Watchers(
        who.contains("page") ? Optional.of(OpenPage.open(address)) : Optional.empty(),
        who.contains("scrapes") ? Optional.of(Scrapes.start(address)) : Optional.empty());
  }

  /** What they have read, in words. */
  public String read() {
    return page.map(OpenPage::read).orElse("") + scrapes.map(Scrapes::read).orElse("");
  }

  /**
   * Ends them.
   *
   * @throws IllegalStateException if one of them has failed
   */
  @Override
  public void close() {
    page.ifPresent(OpenPage::close);
    scrapes.ifPresent(Scrapes::close);
  }
}
