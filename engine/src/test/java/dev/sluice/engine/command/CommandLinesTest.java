package dev.sluice.engine.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLinesTest {
  private static final String LEVEL = "sluice.log.level";

  private final String before = System.getProperty(LEVEL);

  @BeforeEach
  void forget() {
    System.clearProperty(LEVEL);
    System.clearProperty(CommandLines.EXTRA_FOLDER);
  }

  @AfterEach
  void restore() {
    if (before != null) {
      System.setProperty(LEVEL, before);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"run", "demo", "sandbox", "--debug"})
  void aTaskFileMayHaveTheNameOfACommandOrOfAnOption(String file) {
    assertThat(CommandLines.run("status", "--", file)).isNotZero();
    assertThat(System.getProperty(LEVEL)).isEqualTo("ERROR");
    assertThat(System.getProperty(CommandLines.EXTRA_FOLDER)).isNull();
  }

  @Test
  void theHelpOfAnExtraCommandMakesNoFolder() {
    CommandLines.run("demo", "--help");
    assertThat(CommandLines.extraFolder()).doesNotExist();
  }

  @Test
  void anOptionMayStandBeforeTheCommand() {
    CommandLines.run("--debug", "run", "missing.yaml");
    assertThat(System.getProperty(LEVEL)).isEqualTo("DEBUG");
  }

  @Test
  void aCommandLineMakesItsOwnCommandOnlyAndAnUnknownOneAll() {
    assertThat(CommandList.only("status").getSubcommands()).containsOnlyKeys("status");
    assertThat(CommandList.only("").getSubcommands()).hasSizeGreaterThan(15);
    assertThat(CommandList.only("statsu").getSubcommands()).containsKeys("status", "run");
    CommandList.all()
        .getSubcommands()
        .keySet()
        .forEach(name -> assertThat(CommandList.only(name).getSubcommands()).containsKey(name));
  }
}
