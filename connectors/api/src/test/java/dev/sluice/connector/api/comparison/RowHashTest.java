package dev.sluice.connector.api.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.comparison.RowHash.Function;
import dev.sluice.connector.api.comparison.RowHash.RowForm;
import org.junit.jupiter.api.Test;

class RowHashTest {
  private static final HashSeeds SEEDS = new HashSeeds(1, 2);

  @Test
  void sidesThatMakeTheSameOfBothSamplesHashTheBinaryForm() {
    assertThat(of(side(true, "h", "b"), side(true, "h", "b")))
        .isEqualTo(new RowHash(SEEDS, Function.FAST, RowForm.BINARY));
  }

  @Test
  void sidesThatSendAnotherBinaryFormOrNoneHashTheText() {
    RowHash text = new RowHash(SEEDS, Function.FAST, RowForm.UTF8);

    assertThat(of(side(true, "h", "b"), side(true, "h", "other"))).isEqualTo(text);
    assertThat(of(side(true, "h", ""), side(true, "h", ""))).isEqualTo(text);
  }

  @Test
  void sidesThatHashOtherwiseOrNotAtAllUseTheFunctionThatEachOneHas() {
    RowHash slow = new RowHash(SEEDS, Function.SHA256, RowForm.UTF8);

    assertThat(of(side(true, "h", "b"), side(true, "other", "b"))).isEqualTo(slow);
    assertThat(of(side(true, "", "b"), side(true, "", "b"))).isEqualTo(slow);
  }

  @Test
  void theTextIsInDigitsIfOneSideCannotHoldItsBytes() {
    assertThat(of(side(true, "h", ""), side(false, "h", "")).form()).isEqualTo(RowForm.UTF8_HEX);
    assertThat(of(side(false, "h", ""), side(true, "h", "")).form()).isEqualTo(RowForm.UTF8_HEX);
  }

  private static RowHash of(SideForm source, SideForm target) {
    return RowHash.of(SEEDS, source, target);
  }

  private static SideForm side(boolean keepsUtf8, String hashed, String sent) {
    return new SideForm("any", keepsUtf8, "printed", hashed, sent);
  }
}
