package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The demo as a newcomer runs it, in a small form. */
class DemoTest {

  @Test
  void theDemoEndsWithEveryRowEqual() throws Exception {
    DaemonProcess.Finished demo =
        DaemonProcess.command("demo", "--seconds", "3", "--scale", "1", "--connections", "2");

    assertThat(demo.exitCode()).as(demo.output()).isZero();
    assertThat(demo.output())
        .contains("EQUAL: every row", "shop.order_line", "sequences set: 1")
        .doesNotContain("NOT EQUAL");
  }

  @Test
  void aSizeThatCannotBeIsNamedWithItsRange() throws Exception {
    DaemonProcess.Finished demo = DaemonProcess.command("demo", "--scale", "0");

    assertThat(demo.exitCode()).isEqualTo(2);
    assertThat(demo.output()).contains("--scale", "0", "1 to 1000");
  }
}
