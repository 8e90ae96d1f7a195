package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
  void theDemoOfMariadbEndsWithEveryRowEqual() throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "there are no binaries of MariaDB for this machine");
    DaemonProcess.Finished demo =
        DaemonProcess.command(
            "demo", "--source", "mariadb", "--seconds", "3", "--scale", "1", "--connections", "2");

    assertThat(demo.exitCode()).as(demo.output()).isZero();
    assertThat(demo.output())
        .contains("SET GLOBAL read_only = ON", "--quiet-period", "sequences set: 2")
        .contains("EQUAL: every row", "equal: 9 tables", "shop.order_line: ")
        .doesNotContain("NOT EQUAL", "not compared");
  }

  @Test
  void theDemoOntoMariadbEndsWithEveryRowEqual() throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "there are no binaries of MariaDB for this machine");
    DaemonProcess.Finished demo =
        DaemonProcess.command(
            "demo", "--target", "mariadb", "--seconds", "3", "--scale", "1", "--connections", "2");

    assertThat(demo.exitCode()).as(demo.output()).isZero();
    assertThat(demo.output())
        .contains("CREATE SEQUENCE shop.orders_o_number_seq", "sequences set: 2")
        .contains("EQUAL: every row", "equal: 9 tables", "shop.order_line: ")
        .doesNotContain("NOT EQUAL", "not compared", "sluice_moved");
  }

  @Test
  void aMachineWithoutMariadbsBinariesIsNamed(@TempDir Path folder) throws Exception {
    Path output = folder.resolve("demo.out");
    Process demo =
        DaemonProcess.start(
            output, List.of("demo", "--source", "mariadb"), "-Dos.arch=sparc", "-Dos.name=Plan 9");

    assertThat(demo.waitFor(5, TimeUnit.MINUTES)).isTrue();
    assertThat(demo.exitValue()).isEqualTo(2);
    assertThat(Files.readString(output))
        .contains("this machine is Plan 9 on sparc", "Linux on x86-64", "it is PostgreSQL then");
  }

  @Test
  void aSizeThatCannotBeIsNamedWithItsRange() throws Exception {
    DaemonProcess.Finished demo = DaemonProcess.command("demo", "--scale", "0");

    assertThat(demo.exitCode()).isEqualTo(2);
    assertThat(demo.output()).contains("--scale", "0", "1 to 1000");
  }
}
