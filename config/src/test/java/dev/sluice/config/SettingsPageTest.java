package dev.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.settings.SettingsPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SettingsPageTest {

  /** Tests run in the module's folder. */
  private static final Path PAGE = Path.of("../docs/operate/settings.md");

  @Test
  void thePageMatchesTheDeclaredSettings() throws IOException {
    String page = Files.readString(PAGE);
    if (Boolean.getBoolean("sluice.update")) {
      page = SettingsPage.update(page);
      Files.writeString(PAGE, page);
    }
    assertThat(page)
        .as("docs/operate/settings.md; -Dsluice.update=true writes it again")
        .isEqualTo(SettingsPage.update(page));
  }
}
