package dev.sluice.config.internals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import org.junit.jupiter.api.Test;

class LibraryTest {
  private final Library library = new Library("Clockwork", "2.0", "1.7");

  @Test
  void aHiddenFieldIsReadAndSet() {
    HiddenField<String> spring = library.field(Clock.class, "spring", String.class);
    Clock clock = new Clock("steel");
    library.require();
    assertThat(spring.get(clock)).isEqualTo("steel");
    spring.set(clock, "brass");
    assertThat(spring.get(clock)).isEqualTo("brass");
  }

  @Test
  void aHiddenConstructorCreatesAnObject() {
    HiddenConstructor<Clock> clocks = library.constructor(Clock.class, String.class);
    library.require();
    assertThat(clocks.create("steel").spring).isEqualTo("steel");
  }

  @Test
  void everyMissingMemberIsNamedInOneErrorWithBothVersions() {
    library.field(Clock.class, "weight", String.class);
    library.field(Clock.class, "spring", Integer.class);
    library.constructor(Clock.class, String.class, int.class);
    String clock = Clock.class.getName();
    assertThatThrownBy(library::require)
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessage(
            "library Clockwork: version 2.0, without field String %1$s.weight and field Integer"
                + " %1$s.spring and constructor %1$s(String, int); expected version 1.7, for which"
                + " this release of Sluice was built. Remove other versions of the library from the"
                + " class path, and start Sluice with the libraries of its own release",
            clock);
  }

  @Test
  void aMissingMemberThatIsUsedFailsWithTheSameError() {
    HiddenField<String> weight = library.field(Clock.class, "weight", String.class);
    assertThatThrownBy(() -> weight.get(new Clock("steel")))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("weight");
  }

  private static final class Clock {
    private String spring;

    private Clock(String spring) {
      this.spring = spring;
    }
  }
}
