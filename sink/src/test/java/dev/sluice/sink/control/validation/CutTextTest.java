package dev.sluice.sink.control.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class CutTextTest {
  private static final CutText FORTY = new CutText(OptionalInt.of(40));

  @Test
  void whatFitsStaysAsItIs() {
    String fits = "{\"name\":\"" + "é".repeat(14) + "\"}";
    assertThat(fits.getBytes(StandardCharsets.UTF_8)).hasSize(39);
    assertThat(FORTY.object(fits)).isEqualTo(fits);
    assertThat(FORTY.words(fits)).isEqualTo(fits);
    assertThat(FORTY.object(null)).isNull();
    assertThat(FORTY.words(null)).isNull();
    String any = "x".repeat(100_000);
    assertThat(new CutText(OptionalInt.empty()).object(any)).isEqualTo(any);
  }

  @Test
  void aTextThatIsTooLongEndsWithItsLengthAndNoCharacterIsCutInTwo() {
    String cut = FORTY.words("é😀".repeat(50));
    assertThat(cut).isEqualTo("é😀é😀é😀é… (100 characters)");
    assertThat(cut.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(40);
  }

  @Test
  void anObjectThatIsTooLongIsOneWithItsBeginningAndItsLength() {
    String cut = FORTY.object("{\"name\":\"" + "x".repeat(100) + "\"}");
    assertThat(cut).isEqualTo("{\"cut\":\"{\\\"name…\",\"characters\":\"111\"}");
    assertThat(cut.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(40);
  }
}
