package dev.sluice.connect.target;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.derby.EmbeddedDerby;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class Db2SinkTest extends TargetContract {
  @Override
  TargetSide open() {
    return new Db2Side(EmbeddedDerby.start());
  }

  @Test
  void aJournalIsRefused() {
    assertThat(problems(properties("journal")).get("topic.layout").toString())
        .contains("a target of type db2 has no layout journal");
  }

  @Test
  void aPasswordWithoutAWordAboutEncryptionIsRefused() {
    Map<String, String> properties = ordered();
    properties.put("target.password", "secret");
    assertThat(problems(properties).toString()).contains("sslConnection").doesNotContain("secret");
  }
}
