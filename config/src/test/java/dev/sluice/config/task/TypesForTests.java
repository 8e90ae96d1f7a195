package dev.sluice.config.task;

import dev.sluice.config.document.Fields;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The types of endpoints in tests of this module, which has no connector. */
public final class TypesForTests {
  private TypesForTests() {}

  /** The configuration of both sources. */
  record Config(Endpoint endpoint, String slotName, boolean readsAll) implements SourceConfig {
    @Override
    public Optional<SourceType.WrongPosition> problemWithoutStart() {
      return slotName.equals("without-a-start")
          ? Optional.of(new SourceType.WrongPosition("a place", "Name one"))
          : Optional.empty();
    }
  }

  /** A source whose urls are PostgreSQL's. */
  public static final class Relational implements SourceType {
    @Override
    public String name() {
      return "postgresql";
    }

    @Override
    public UrlForm url() {
      return UrlForm.POSTGRESQL;
    }

    @Override
    public Function<Endpoint, SourceConfig> read(Fields section, String defaultName) {
      String slot = section.text("slot-name").orElse(defaultName);
      boolean readsAll = section.toggle("reads-all");
      return endpoint -> new Config(endpoint, slot, readsAll);
    }

    @Override
    public Optional<SourceConfig> reversed(SourceConfig forward, Endpoint endpoint, String name) {
      return Optional.of(new Config(endpoint, name, ((Config) forward).readsAll()));
    }

    @Override
    public Optional<WrongPosition> problemOf(String position) {
      return position.contains("/")
          ? Optional.empty()
          : Optional.of(new WrongPosition("such as 4AF/B00000D0", "Ask the source"));
    }
  }

  /** A source with urls and positions of its own, and no further keys. */
  public static final class Toy implements SourceType {
    @Override
    public String name() {
      return "toy";
    }

    @Override
    public UrlForm url() {
      return new UrlForm("toys", List.of(), 77, List.of("speed"), Map.of("speed", List.of("1")));
    }

    @Override
    public Function<Endpoint, SourceConfig> read(Fields section, String defaultName) {
      return endpoint -> new Config(endpoint, "", false);
    }

    @Override
    public Optional<WrongPosition> problemOf(String position) {
      return position.startsWith("file-")
          ? Optional.empty()
          : Optional.of(new WrongPosition("such as file-1", "Look into the toy's log"));
    }
  }

  /** The only target. */
  public static final class OnlyTarget implements TargetType {
    @Override
    public String name() {
      return "postgresql";
    }

    @Override
    public UrlForm url() {
      return UrlForm.POSTGRESQL;
    }
  }
}
