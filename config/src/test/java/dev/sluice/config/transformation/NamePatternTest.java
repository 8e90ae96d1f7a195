package dev.sluice.config.transformation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class NamePatternTest {

  /** A piece of a pattern and the regular expression that means the same. */
  record Piece(String pattern, String regex) {}

  @Property
  void aPatternMatchesWhatItsRegularExpressionMatches(
      @ForAll("pieces") List<Piece> pieces, @ForAll("names") String name) {
    String pattern = pieces.stream().map(Piece::pattern).collect(Collectors.joining());
    String regex = pieces.stream().map(Piece::regex).collect(Collectors.joining());

    assertThat(new NamePattern(pattern).matches(name))
        .as("%s on \"%s\"", pattern, name)
        .isEqualTo(Pattern.compile(regex, Pattern.DOTALL).matcher(name).matches())
        .isEqualTo(
            Pattern.compile(new NamePattern(pattern).regularExpression()).matcher(name).matches());
  }

  @Provide
  Arbitrary<List<Piece>> pieces() {
    return Arbitraries.of(
            new Piece("%", ".*"),
            new Piece("_", "."),
            new Piece("[_]", "_"),
            new Piece("[%]", "%"),
            new Piece("[[]", "\\["),
            new Piece("[ab]", "[ab]"),
            new Piece("[a-c]", "[a-c]"),
            new Piece("[b-]", "[b\\-]"),
            new Piece("a", "a"),
            new Piece("A", "A"),
            new Piece("-", "-"),
            new Piece("😀", "😀"),
            new Piece(".", "\\."))
        .list()
        .ofMaxSize(6);
  }

  @Provide
  Arbitrary<String> names() {
    return Arbitraries.of("a", "b", "c", "d", "A", "_", "%", "[", "-", ".", "😀", "\n")
        .list()
        .ofMaxSize(6)
        .map(characters -> String.join("", characters));
  }

  @Example
  void anUnclosedOrEmptyBracketIsRefused() {
    assertThatThrownBy(() -> new NamePattern("a[b")).hasMessage("the bracket [ is not closed");
    assertThatThrownBy(() -> new NamePattern("a[]")).hasMessageContaining("are empty");
  }

  @Example
  void aNameOfManyWildcardsIsMatchedInReasonableSteps() {
    assertThat(new NamePattern("%a".repeat(30) + "b").matches("a".repeat(63))).isFalse();
  }
}
